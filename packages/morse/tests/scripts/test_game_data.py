# SPDX-License-Identifier: GPL-3.0-or-later
"""Object.game and its like over today's Blender, without MORSE."""

from collections.abc import Iterator
from typing import Any

import bpy
import pytest

from support.blender.rigs import new_scene
from urdf_importer_morse.blend_file.object_settings import DEFAULTS
from urdf_importer_morse.game_engine import defaults, scene_views
from urdf_importer_morse.game_engine.attributes import install_attributes
from urdf_importer_morse.game_engine.game_data import (
    GameData,
    add_logic_brick,
    add_property,
)
from urdf_importer_morse.game_engine.replacements import Replacements
from urdf_importer_morse.game_engine.storage import KEY, read_game, set_property


@pytest.fixture
def item() -> Any:
    new_scene()
    made = bpy.data.objects.new("thing", None)
    bpy.context.scene.collection.objects.link(made)
    return made


@pytest.fixture
def attributes() -> Iterator[None]:
    made = Replacements()
    install_attributes(made)
    yield
    made.undo()


def test_what_was_never_set_reads_as_in_blender(item: Any) -> None:
    game = GameData(item)
    assert (game.physics_type, game.mass, game.use_actor) == ("STATIC", 1.0, False)
    assert game.collision_mask == (True,) * 16
    assert len(game.properties) == 0 and not game.sensors
    assert KEY not in item


def test_defaults_are_those_of_old_files() -> None:
    """What the reader of old files leaves out, because it says nothing, reads as it was."""
    for name, value in DEFAULTS.items():
        default = defaults.OBJECT[name].default
        assert type(default) is type(value), name
        expected = pytest.approx(value, rel=1e-6) if isinstance(value, float) else value
        assert default == expected, name


def test_settings_are_checked_as_blender_does(item: Any) -> None:
    game = GameData(item)
    game.mass = 3
    assert game.mass == 3.0 and isinstance(game.mass, float)
    game.use_actor = 1
    assert game.use_actor is True
    game.friction_coefficients = (0.5, 0.25, 1)
    assert game.friction_coefficients == (0.5, 0.25, 1.0)
    game.collision_group = [False] * 15 + [True]
    assert game.collision_group[15] is True
    for name, value in (
        ("physics_type", "FLUID"),
        ("physics_type", 3),
        ("mass", "heavy"),
        ("use_actor", 2),
        ("jump_max", 1.5),
    ):
        with pytest.raises(TypeError, match="bpy_struct"):
            setattr(game, name, value)
    with pytest.raises(ValueError, match="3 items"):
        game.friction_coefficients = (1.0, 1.0)
    assert game.physics_type == "STATIC"


def test_a_setting_that_no_table_knows_is_kept(item: Any) -> None:
    game = GameData(item)
    game.use_something_new = 4
    assert GameData(item).use_something_new == 4
    with pytest.raises(AttributeError, match="no_such"):
        _ = game.no_such
    assert "use_something_new" in dir(game) and "physics_type" in dir(game)


def test_properties_are_a_list_with_names(item: Any) -> None:
    game = GameData(item)
    for name, kind, value in (("Tag", "BOOL", True), ("count", "INT", 3), ("label", "STRING", "x")):
        add_property(item, name, kind)
        game.properties[-1].value = value
    assert game.properties.keys() == ["Tag", "count", "label"]
    assert [each.value for each in game.properties] == [True, 3, "x"]
    assert game.properties["count"].type == "INT" and game.properties[0].name == "Tag"
    assert "Tag" in game.properties and "tag" not in game.properties
    assert [name for name, _ in game.properties.items()] == game.properties.keys()
    assert game.properties.get("none") is None and game.properties.find("label") == 2
    assert [each.name for each in game.properties[1:]] == ["count", "label"]
    with pytest.raises(KeyError):
        game.properties["none"]
    with pytest.raises(IndexError):
        game.properties[3]
    with pytest.raises(IndexError):
        game.properties[-4]


def test_a_new_property_is_a_real_number_called_prop(item: Any) -> None:
    add_property(item)
    add_property(item)
    game = GameData(item)
    assert game.properties.keys() == ["prop", "prop0"]
    assert (game.properties[0].type, game.properties[0].value) == ("FLOAT", 0.0)


def test_another_type_empties_a_property(item: Any) -> None:
    set_property(item, "a", 2.5)
    found = GameData(item).properties["a"]
    found.type = "FLOAT"
    assert found.value == 2.5
    found.type = "STRING"
    assert found.value == ""
    found.value = "text"
    for value in (1, None, 2.5):
        with pytest.raises(TypeError):
            found.value = value
    with pytest.raises(TypeError, match="LIST"):
        found.type = "LIST"
    assert found.value == "text"


def test_a_property_takes_its_name_from_another(item: Any) -> None:
    """As in Blender: the one that is renamed has the name, the other gets a number."""
    for name in ("first", "second"):
        set_property(item, name, name)
    game = GameData(item)
    game.properties["second"].name = "first"
    assert [(each.name, each.value) for each in game.properties] == [
        ("first0", "first"),
        ("first", "second"),
    ]


def test_shown_properties_stay_shown(item: Any) -> None:
    set_property(item, "profile", "0")
    found = GameData(item).properties["profile"]
    assert found.show_debug is False
    found.show_debug = True
    found.value = "50"
    assert found.show_debug is True


def test_bricks_are_linked_by_name_and_stay_so(item: Any) -> None:
    add_logic_brick(item, "sensors", "ALWAYS", "MORSE_LOGIC")
    add_logic_brick(item, "controllers", "LOGIC_AND")
    add_logic_brick(item, "actuators", "PROPERTY")
    game = GameData(item)
    sensor, controller, actuator = game.sensors[-1], game.controllers[-1], game.actuators[-1]
    assert (controller.name, actuator.name) == ("And", "Property")
    controller.link(sensor=sensor, actuator=actuator)
    controller.link(sensor=sensor)
    assert sensor.controllers.keys() == ["And"] and controller.actuators.keys() == ["Property"]
    controller.name = "both"
    actuator.name = "switch"
    assert sensor.controllers[0] == controller and sensor.controllers[0].name == "both"
    assert [each.type for each in controller.actuators] == ["PROPERTY"]
    controller.unlink(actuator=actuator)
    sensor.unlink(controller)
    assert not controller.actuators and not sensor.controllers
    actuator.link(controller)
    sensor.link(controller)
    assert "switch" in controller.actuators and "both" in sensor.controllers


def test_bricks_of_two_objects_are_not_linked(item: Any) -> None:
    other = bpy.data.objects.new("other", None)
    add_logic_brick(item, "sensors", "NEAR")
    add_logic_brick(other, "controllers", "PYTHON")
    with pytest.raises(TypeError, match="two objects"):
        GameData(other).controllers[0].link(sensor=GameData(item).sensors[0])


def test_another_type_of_brick_has_other_settings(item: Any) -> None:
    add_logic_brick(item, "sensors", "ALWAYS")
    sensor = GameData(item).sensors[0]
    sensor.use_pulse_true_level = True
    with pytest.raises(AttributeError):
        _ = sensor.distance
    sensor.type = "NEAR"
    assert (sensor.use_pulse_true_level, sensor.distance, sensor.reset_distance) == (
        False,
        1.0,
        2.0,
    )
    assert sensor.name == "Always"
    with pytest.raises(TypeError, match="TELEPATHY"):
        sensor.type = "TELEPATHY"
    with pytest.raises(TypeError, match="TELEPATHY"):
        add_logic_brick(item, "sensors", "TELEPATHY")


def test_names_of_bricks_are_made_unique(item: Any) -> None:
    add_logic_brick(item, "sensors", "RADAR", "Radar")
    add_logic_brick(item, "sensors", "RADAR")
    sensors = GameData(item).sensors
    assert len(set(sensors.keys())) == 2
    sensors[1].name = "Radar"
    assert sensors.keys() == ["Radar", "Radar.001"]


def test_a_copy_of_an_object_has_the_same_game(item: Any) -> None:
    set_property(item, "Tag", True)
    copied = item.copy()
    GameData(copied).properties["Tag"].value = False
    assert GameData(item).properties["Tag"].value is True


def test_an_actuator_names_a_data_block(item: Any) -> None:
    add_logic_brick(item, "actuators", "PROPERTY")
    actuator = GameData(item).actuators[0]
    assert actuator.object is None
    actuator.object = item
    assert actuator.object == item
    assert read_game(item)["actuators"][0]["settings"] == {"object": "thing"}
    actuator.object = None
    assert actuator.object is None


def test_objects_are_hidden_and_selected_as_before(item: Any, attributes: None) -> None:
    item.hide = True
    assert item.hide is True and item.hide_viewport
    item.hide = False
    assert item.hide is False and item.visible_get()
    item.hide_set(True)
    assert item.hide is True
    item.hide = False
    assert item.hide is False
    item.select = True
    assert item.select is True
    elsewhere = bpy.data.objects.new("elsewhere", None)
    elsewhere.select = True
    elsewhere.hide = False
    assert elsewhere.select is False
    item.empty_draw_type, item.empty_draw_size = "ARROWS", 0.25
    assert (item.empty_display_type, item.empty_display_size) == ("ARROWS", 0.25)


def test_a_material_needs_leave_to_be_transparent(attributes: None) -> None:
    new_scene()
    material = bpy.data.materials.new("glass")
    material.alpha = 0.25
    assert material.diffuse_color[3] == 1.0
    material.use_transparency = True
    assert material.diffuse_color[3] == 0.25 and material.surface_render_method == "BLENDED"
    material.use_transparency = False
    assert material.diffuse_color[3] == 1.0
    assert (material.alpha, material.transparency_method) == (0.25, "MASK")
    material.use_shadeless = True
    assert material.use_shadeless is True
    material.physics.elasticity = 0.5
    material.game_settings.invisible = True
    assert (material.physics.elasticity, material.physics.friction) == (0.5, 0.5)
    assert material.game_settings.invisible is True
    with pytest.raises(TypeError):
        material.transparency_method = "GLASS"


def test_three_numbers_are_a_colour(attributes: None) -> None:
    new_scene()
    material = bpy.data.materials.new("red")
    material.diffuse_color = (1.0, 0.5, 0.0)
    assert tuple(material.diffuse_color) == (1.0, 0.5, 0.0, 1.0)
    material.diffuse_color = (0.0, 0.0, 0.0, 0.5)
    assert material.diffuse_color[3] == 0.5
    with pytest.raises(ValueError, match="should contain 4 items"):
        material.diffuse_color = (1.0, 0.0)
    with pytest.raises(AttributeError):
        material.no_such_thing = 1


def test_a_scene_remembers_the_game_engine(item: Any, attributes: None) -> None:
    new_scene()
    scene = scene_views.SceneView(bpy.context.scene)
    engine = scene.render.engine
    scene.render.engine = scene_views.GAME_ENGINE
    assert scene.render.engine == "BLENDER_GAME" and bpy.context.scene.render.engine == engine
    scene.render.engine = "CYCLES"
    assert scene.render.engine == "CYCLES" and KEY not in bpy.context.scene
    with pytest.raises(TypeError):
        scene.render.engine = "BLENDER_TOY"
    with pytest.raises(TypeError, match="SINGLETEXTURE"):
        scene.game_settings.material_mode = "SINGLETEXTURE"
    scene.render.resolution_x = 320
    assert bpy.context.scene.render.resolution_x == 320


def test_a_view_of_a_scene_is_the_scene(attributes: None) -> None:
    new_scene()
    real = bpy.context.scene
    scene = scene_views.SceneView(real)
    assert scene == real and scene == scene_views.SceneView(real) and hash(scene) == hash(real)
    assert scene.name == real.name
    scene["note"] = 1
    assert real["note"] == 1 and "note" in scene
    other = scene_views.SceneView(bpy.data.scenes.new("other"))
    scene.background_set = other
    assert real.background_set == bpy.data.scenes["other"]
    made = bpy.data.objects.new("made", None)
    scene.objects.link(made)
    scene.update()
    scene.objects.active = made
    assert scene.objects.active == made and "made" in scene.objects
    assert list(scene.objects) == list(real.objects) and len(scene.objects) == 1
    scene.objects.unlink(made)
    assert len(real.objects) == 0
    real.world = None
    scene.world.horizon_color = (0.5, 0.25, 0.125)
    assert tuple(real.world.color) == (0.5, 0.25, 0.125)
