# SPDX-License-Identifier: GPL-3.0-or-later
"""A model changed by the parameters of its <include>.

The changed model is written as a text and parsed again, so that every reader goes by it. Its
elements know the files and lines that they come from.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ....core.diagnostics import quote
from ....core.markup.xml import Element, parse_fragment
from .page import Page
from .params import (
    ACTIONS,
    MOST_DEPTH,
    OWN,
    EditedElement,
    Parameter,
    elements_of,
    elements_within,
    inner_text,
    new_part,
    read_parameters,
    text_of_part,
)
from .scope import PLACING, SEPARATOR

MOST_STEPS = 1_000_000
MOST_BYTES = 1 << 26
_STEPS_OF_FILE = 100
OpenModel = Callable[[Element, Page], tuple[Element, Page] | None]
"""Returns the model that an <include> means, and its file; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Found:
    """A part, which `holder` holds; `rest` leads on from there, through the file that an <include>
    means, as everything does that is `passed`."""

    holder: EditedElement
    part: EditedElement
    rest: str = ""
    passed: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class Changer:
    """Changes models; the work for all of them together is bounded. `passed` are the parameters
    that an <include> of a changed model gets, by the id of its element, which is kept."""

    open_model: OpenModel
    steps: int = 0
    size: int = 0
    passed: dict[int, tuple[Element, list[Parameter]]] = field(default_factory=dict)

    def parameters_of(self, include: Element, page: Page) -> list[Parameter]:
        """Returns an <include>'s own parameters, then the ones from further out."""
        _, passed = self.passed.get(id(include), (include, []))
        return read_parameters(include, page) + passed

    def change(
        self, model: Element, page: Page, parameters: list[Parameter]
    ) -> tuple[Element, Page]:
        """Returns a model as parameters have it, and the page that it is then in. Raises ReadError
        where that is more work than any model is."""
        root = EditedElement(model, page)
        for each in parameters:
            self._apply(root, each)
        return self._write(root, parameters[0])

    def _apply(self, root: EditedElement, given: Parameter) -> None:
        if given.action == "add":
            self._add_below(root, given)
            return
        found = self._find_place(root, given.element.tag, given)
        if found is None:
            given.pass_over("the model has no such element")
        elif found.passed or (found.part.tag == "include" and given.action in ("", "modify")):
            self._pass_on(found, given)
        elif given.action:
            self._act(found.holder, found.part, given, given.element)
        else:
            self._change_children(found.part, given)

    def _act(
        self, holder: EditedElement, part: EditedElement, given: Parameter, said: Element
    ) -> None:
        """Changes a part as an element with an action says it."""
        action = said.attributes["action"].strip()
        if action == "remove":
            self._remove(holder, part, given, said)
        elif action == "modify":
            self._modify(part, given, said, 0)
        else:
            self._replace(holder, part, given, said)

    def _pass_on(self, found: _Found, given: Parameter) -> None:
        """Gives a parameter to the file of an <include>, unless that overrides it."""
        children = given.children
        if not found.rest and given.action != "add":
            own_tags = {tag for tag in PLACING if found.part.find(tag) is not None}
            own = replace(given, children=tuple(each for each in children if each.tag in own_tags))
            if own.children:
                if given.action == "modify":
                    self._modify_children(found.part, own, own.children, 0)
                else:
                    self._change_children(found.part, own)
                children = tuple(each for each in children if each.tag not in own_tags)
        found.part.passed.append(replace(given, path=found.rest, children=children))

    # Finding

    def _find_place(self, root: EditedElement, tag: str, given: Parameter) -> _Found | None:
        """Finds the element that a parameter names; the model itself where it names none."""
        own = _Found(holder=root, part=root)
        return self._find(root, tag, given.path, given) if given.path else own

    def _find(self, holder: EditedElement, tag: str, path: str, given: Parameter) -> _Found | None:
        """Finds an element below another one; any with that name where the tag is ""."""
        deeper: list[tuple[str, EditedElement]] = []
        merged: list[EditedElement] = []
        for part in holder.parts:
            self._step(given)
            if part.is_merged:
                merged.append(part)
                continue
            name = self._name_of(part)
            kind = "model" if part.tag == "include" else part.tag
            if name and name == path and tag in ("", kind):
                return _Found(holder=holder, part=part)
            if name and path.startswith(name + SEPARATOR):
                deeper.append((name, part))
        for name, part in sorted(deeper, key=lambda each: -len(each[0])):
            rest = path[len(name) + len(SEPARATOR) :]
            if part.tag == "include":
                return _Found(holder=holder, part=part, rest=rest, passed=True)
            found = self._find(part, tag, rest, given)
            if found is not None:
                return found
        for part in merged:
            if self._holds(part.element, part.page, path, given, 0):
                return _Found(holder=holder, part=part, rest=path, passed=True)
        return None

    def _name_of(self, part: EditedElement) -> str:
        if part.tag != "include":
            return part.attributes.get("name", "").strip()
        name = part.page.text(part.element, "name")
        opened = None if name else self._open(part.element, part.page)
        return name if opened is None else opened[0].attributes.get("name", "")

    def _open(self, include: Element, page: Page) -> tuple[Element, Page] | None:
        self.steps += _STEPS_OF_FILE
        return self.open_model(include, page)

    def _holds(self, include: Element, page: Page, path: str, given: Parameter, depth: int) -> bool:
        """Whether a path begins in the model that an <include> merges."""
        opened = self._open(include, page) if depth < MOST_DEPTH else None
        if opened is None:
            return False
        model, inner = opened
        for child in model:
            self._step(given)
            part = EditedElement(child, inner)
            if part.is_merged:
                if self._holds(child, inner, path, given, depth + 1):
                    return True
                continue
            name = self._name_of(part)
            if name and (path == name or path.startswith(name + SEPARATOR)):
                return True
        return False

    def _step(self, given: Parameter) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise given.page.refusal("the parameters of includes change too much", given.element)

    # Changing

    def _add_below(self, root: EditedElement, given: Parameter) -> None:
        name = given.element.attributes.get("name", "").strip()
        if not name:
            given.pass_over("the added element has no name")
            return
        found = self._find_place(root, "", given)
        if found is None:
            given.pass_over("the model has no such element to add something to")
        elif found.part.tag == "include":
            self._pass_on(found, given)
        elif given.element.tag != "plugin" and self._find(
            found.part, given.element.tag, name, given
        ):
            given.pass_over(f"there is a <{given.element.tag}> {quote(name)} already")
        else:
            found.part.parts.append(new_part(given.element, given.page))

    def _change_children(self, part: EditedElement, given: Parameter) -> None:
        for child in given.children:
            self._step(given)
            action = child.attributes.get("action", "").strip()
            if not action:
                given.pass_over(f"its <{child.tag}> has no action", child)
            elif action not in ACTIONS:
                known = ", ".join(ACTIONS)
                given.pass_over(f"{quote(action)} is not an action; these are {known}", child)
            elif action == "add":
                part.parts.append(new_part(child, given.page))
            elif found := self._child(part, child, may_rename=action == "modify"):
                self._act(part, found, given, child)
            else:
                given.pass_over(f"the element has no such <{child.tag}>", child)

    def _child(
        self, part: EditedElement, wanted: Element, *, may_rename: bool = False
    ) -> EditedElement | None:
        """The child that an element of a parameter means: by its name, where it has one."""
        name = wanted.attributes.get("name")
        self.steps += len(part.parts)
        found = part.find(wanted.tag, name)
        return part.find(wanted.tag) if found is None and may_rename else found

    def _remove(
        self, holder: EditedElement, part: EditedElement, given: Parameter, said: Element
    ) -> None:
        """Takes a part out, or only the children of it that are named."""
        if not len(said):
            holder.parts.remove(part)
            return
        for child in said:
            self._step(given)
            found = self._child(part, child)
            if found is None:
                given.pass_over(f"there is no <{child.tag}> to be removed", child)
            else:
                part.parts.remove(found)

    def _replace(
        self, holder: EditedElement, part: EditedElement, given: Parameter, said: Element
    ) -> None:
        has_name = "name" in part.attributes or part.tag == "include"
        if has_name and not said.attributes.get("name", "").strip():
            given.pass_over("the replacement has no name", said)
            return
        holder.parts[holder.parts.index(part)] = new_part(said, given.page)

    def _modify(self, part: EditedElement, given: Parameter, said: Element, depth: int) -> None:
        """Sets the attributes that are named and the text, or changes the children that are
        named."""
        self._step(given)
        changed = {name: text for name, text in said.attributes.items() if name not in OWN}
        if changed:
            part.attributes = {**part.attributes, **changed}
        if len(said):
            children = given.children if said is given.element else tuple(said)
            self._modify_children(part, given, children, depth)
        elif not part.parts:
            text = inner_text(said, given.page)
            if text.strip() or depth:
                part.set_text(text)
        elif depth:
            given.pass_over(f"<{said.tag}> has no content", said)

    def _modify_children(
        self, part: EditedElement, given: Parameter, children: tuple[Element, ...], depth: int
    ) -> None:
        if depth > MOST_DEPTH:
            raise given.page.refusal(f"parameters are nested deeper than {MOST_DEPTH}",
                                     given.element)  # fmt: skip
        for child in children:
            found = self._child(part, child, may_rename=True)
            if found is None:
                given.pass_over(f"there is no <{child.tag}> to be modified", child)
            else:
                self._modify(found, given, child, depth + 1)

    # The changed model

    def _write(self, root: EditedElement, first: Parameter) -> tuple[Element, Page]:
        text = b"".join(text_of_part(root))
        self.size += len(text)
        model = parse_fragment(text) if self.size <= MOST_BYTES else None
        if model is None:
            raise first.page.refusal("the parameters of includes change too much", first.element)
        old = root.page
        page = Page(text, old.source, old.diagnostics, old.home, old.version, [model])
        for new, (element, origin, passed) in zip(
            elements_within(model), elements_of(root), strict=True
        ):
            new.line = element.line
            origin = origin.origin(element)
            if origin is not old:
                page.origins[new.offset] = origin
            if passed:
                self.passed[id(new)] = new, passed
        return model, page
