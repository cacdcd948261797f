# SPDX-License-Identifier: GPL-3.0-or-later
"""check_proto.py - independent checker for Webots .proto and .wbt files (Python 3.8+, standard library only).

usage: check_proto.py FILE [--tree | --fk JOINTS.json | --shapes] [--initial] [--strict] [--no-files] [--json]
                           [--nodes webots_nodes.json] [--quiet]

Default mode parses FILE (full VRML_SIM grammar: header, EXTERNPROTO, PROTO interfaces, IS, DEF/USE, comments, strings,
MF brackets), checks it, prints 'file:line: error|warning|note: text' and exits
    0  no error            (warnings and notes do not count unless --strict, which makes warnings count)
    1  at least one error
    2  usage / unreadable file / bad --fk input
    3  file is a JavaScript/Lua template (%< >%): cannot be checked as it stands
--tree   JSON on stdout: every Solid (name, type, parent, 4x4 world pose at ZERO joint positions, physics, visuals, collisions)
         and every joint (name, type, axes/anchor in world coordinates, limits, motor fields). Problems go to stderr.
--fk F   JSON on stdout: world pose of every named Solid at the joint values of F ({"motor name": value, ...}; also accepts a
         position sensor name, a joint DEF name, or the group name of coupled motors "group::x", times each multiplier).
         Joints not in F stay at 0, or at their stored 'position' with --initial.
The 'position' of a joint is undone first: Webots stores the endPoint pose AT that position (WbHingeJoint,
updateEndPointZeroTranslationAndRotation), so T_zero = A R(axis,-q) A^-1 T_file.
PROTO instances whose .proto is a local, untemplated file are expanded; any other PROTO instance is opaque ("opaque": true).
"""
import argparse
import json
import math
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ARITY = {'Vec2f': 2, 'Vec3f': 3, 'Color': 3, 'Rotation': 4, 'Float': 1, 'Int32': 1}
TYPES = [p + t for p in ('SF', 'MF') for t in ('Bool', 'Color', 'Float', 'Int32', 'Node', 'Rotation', 'String', 'Vec2f', 'Vec3f')]
FIELD_KINDS = ('field', 'vrmlField', 'w3dField', 'hiddenField', 'deprecatedField', 'unconnectedField')
NUM_RE = re.compile(r'^[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?)$')
INT_RE = re.compile(r'^[+-]?\d+$')
HEADER_RE = re.compile(r'^#VRML_SIM (R(\d{4})([a-z])(?: revision \d+)?|V(\d+)\.(\d+)(?:\.(\d+))?) utf8[ \t]*$')
URL_FIELDS = {('Mesh', 'url'): 'mesh', ('CadShape', 'url'): 'cad', ('ImageTexture', 'url'): 'image', ('Skin', 'modelUrl'): 'skin',
              ('RotationalMotor', 'sound'): 'sound', ('LinearMotor', 'sound'): 'sound', ('Camera', 'noiseMaskUrl'): 'image',
              ('ContactProperties', 'bumpSound'): 'sound', ('ContactProperties', 'rollSound'): 'sound',
              ('ContactProperties', 'slideSound'): 'sound'}
for _s in ('back', 'bottom', 'front', 'left', 'right', 'top'):
    URL_FIELDS[('Background', _s + 'Url')] = 'image'
    URL_FIELDS[('Background', _s + 'IrradianceUrl')] = 'hdr'
URL_EXT = {'mesh': ('.dae', '.stl', '.obj', '.fbx', '.3ds', '.x3d', '.bvh', '.blend'), 'cad': ('.dae', '.obj'),
           'image': ('.png', '.jpg', '.jpeg'), 'hdr': ('.hdr',), 'sound': ('.wav', '.mp3'), 'skin': ('.fbx',)}
POSITIVE = {('Box', 'size'), ('Sphere', 'radius'), ('Cylinder', 'radius'), ('Cylinder', 'height'), ('Capsule', 'radius'),
            ('Capsule', 'height'), ('Cone', 'bottomRadius'), ('Cone', 'height'), ('Plane', 'size'),
            ('Camera', 'width'), ('Camera', 'height'), ('RangeFinder', 'width'), ('RangeFinder', 'height'), ('Camera', 'fieldOfView'),
            ('RangeFinder', 'fieldOfView'), ('Lidar', 'fieldOfView'), ('Lidar', 'horizontalResolution'), ('Lidar', 'numberOfLayers'),
            ('Camera', 'near'), ('RangeFinder', 'near'), ('Lidar', 'near'), ('RangeFinder', 'minRange'), ('Lidar', 'minRange'),
            ('RangeFinder', 'maxRange'), ('Lidar', 'maxRange'), ('Display', 'width'), ('Display', 'height'), ('DistanceSensor', 'numberOfRays'),
            ('WorldInfo', 'basicTimeStep')}
NONNEG = {('RotationalMotor', 'maxVelocity'), ('LinearMotor', 'maxVelocity'), ('RotationalMotor', 'maxTorque'), ('LinearMotor', 'maxForce'),
          ('Camera', 'noise'), ('Camera', 'far'), ('RangeFinder', 'noise'), ('Lidar', 'noise'), ('Lidar', 'verticalFieldOfView'),
          ('InertialUnit', 'noise'), ('GPS', 'accuracy'), ('Damping', 'linear'), ('Damping', 'angular'), ('ContactProperties', 'bounceVelocity')}
for _n in ('JointParameters', 'HingeJointParameters', 'BallJointParameters'):
    for _f in ('springConstant', 'dampingConstant', 'staticFriction'):
        NONNEG.add((_n, _f))
UNIT01 = {('PBRAppearance', 'transparency'), ('PBRAppearance', 'roughness'), ('PBRAppearance', 'metalness'), ('Material', 'transparency'),
          ('Material', 'shininess'), ('Material', 'ambientIntensity'), ('ContactProperties', 'bounce')}
UNIT_AXES = {('HingeJointParameters', 'axis'), ('JointParameters', 'axis'), ('HingeJointParameters', 'suspensionAxis'), ('Propeller', 'shaftAxis')}


# ----------------------------------------------------------------------------------------------------------------- problems
class Problems:
    def __init__(self):
        self.items = []
        self.seen = set()

    def add(self, level, where, text):
        path, line = where
        key = (level, path, line, text)
        if key not in self.seen:
            self.seen.add(key)
            self.items.append(key)

    def error(self, where, text):
        self.add('error', where, text)

    def warning(self, where, text):
        self.add('warning', where, text)

    def note(self, where, text):
        self.add('note', where, text)

    def count(self, level):
        return sum(1 for i in self.items if i[0] == level)


class Fatal(Exception):
    """A syntax error from which the parser does not recover."""

    def __init__(self, line, text):
        Exception.__init__(self, text)
        self.line = line
        self.text = text


# ---------------------------------------------------------------------------------------------------------------- tokenizer
class Tok:
    __slots__ = ('t', 'v', 'line')

    def __init__(self, t, v, line):
        self.t = t      # num str id punct end
        self.v = v
        self.line = line


TOKEN_RE = re.compile(r'[ \t\r,\ufeff]+|(?P<nl>\n)|#(?P<com>[^\n]*)|"(?P<str>(?:[^"\\]|\\.)*)"|(?P<punct>[{}\[\]])|(?P<word>[^\s,#"{}\[\]]+)|(?P<bad>")', re.S)


def tokenize(text, first_line=1):
    toks = []
    line = first_line
    pos = 0
    n = len(text)
    while pos < n:
        m = TOKEN_RE.match(text, pos)
        if not m:
            raise Fatal(line, 'unexpected character %r' % text[pos])
        kind = m.lastgroup
        if kind == 'nl':
            line += 1
        elif kind == 'str':
            raw = m.group('str')
            toks.append(Tok('str', re.sub(r'\\(.)', r'\1', raw, flags=re.S), line))
            line += raw.count('\n')
        elif kind == 'punct':
            toks.append(Tok('punct', m.group('punct'), line))
        elif kind == 'word':
            w = m.group('word')
            toks.append(Tok('num' if w[0] in '+-.0123456789' else 'id', w, line))
        elif kind == 'bad':
            raise Fatal(line, 'unterminated string')
        pos = m.end()
    toks.append(Tok('end', 'end of file', line))
    return toks


def valid_identifier(w):
    """VRML'97 identifier as implemented by WbToken::isValidIdentifier."""
    if not w:
        return False
    for i, c in enumerate(w):
        v = ord(c)
        if v <= 0x20 or c in '"#\',.[\\]{}' or v == 0x7f:
            return False
        if i == 0 and (c.isdigit() or c in '+-'):
            return False
    return True


# ----------------------------------------------------------------------------------------------------------------------- AST
class Val:
    """kind: num (list of (text,line)), str, bool, null, node, use, is, list (of Val)"""
    __slots__ = ('kind', 'data', 'line')

    def __init__(self, kind, data, line):
        self.kind = kind
        self.data = data
        self.line = line


class Node:
    __slots__ = ('type', 'fields', 'def_name', 'line', 'hidden', 'path')

    def __init__(self, type_, line, path, def_name=None):
        self.type = type_
        self.line = line
        self.path = path
        self.def_name = def_name
        self.fields = []      # (name, Val, line)
        self.hidden = []

    def where(self):
        return (self.path, self.line)


class Param:
    __slots__ = ('kind', 'type', 'name', 'default', 'line', 'restrict')

    def __init__(self, kind, type_, name, default, line, restrict):
        self.kind, self.type, self.name, self.default, self.line, self.restrict = kind, type_, name, default, line, restrict


class File:
    def __init__(self, path):
        self.path = path
        self.version = None          # (2025,'a')
        self.version_text = None
        self.externs = []            # (name, url, line, importable)
        self.proto_name = None
        self.proto_line = 0
        self.params = []
        self.roots = []              # nodes (proto body or world)
        self.template = False
        self.is_proto = path.lower().endswith('.proto')


class Parser:
    def __init__(self, file, toks, keywords, problems):
        self.f = file
        self.toks = toks
        self.i = 0
        self.kw = keywords
        self.p = problems

    def peek(self, k=0):
        j = min(self.i + k, len(self.toks) - 1)
        return self.toks[j]

    def next(self):
        t = self.peek()
        if self.i < len(self.toks) - 1:
            self.i += 1
        return t

    def expect(self, v):
        t = self.next()
        if t.t != 'punct' or t.v != v:
            raise Fatal(t.line, "expected '%s', found '%s'" % (v, t.v))
        return t

    def where(self, line):
        return (self.f.path, line)

    def parse(self):
        while True:
            t = self.peek()
            if t.t == 'id' and t.v in ('EXTERNPROTO', 'IMPORTABLE'):
                importable = t.v == 'IMPORTABLE'
                self.next()
                if importable:
                    e = self.next()
                    if e.v != 'EXTERNPROTO':
                        raise Fatal(e.line, "expected EXTERNPROTO after IMPORTABLE, found '%s'" % e.v)
                u = self.next()
                if u.t == 'id' and self.peek().t == 'str':   # old form: EXTERNPROTO Name "url"
                    u = self.next()
                if u.t != 'str':
                    raise Fatal(u.line, "expected a URL string after EXTERNPROTO, found '%s'" % u.v)
                name = os.path.basename(u.v.replace('\\', '/'))
                if not name.lower().endswith('.proto'):
                    self.p.error(self.where(u.line), "EXTERNPROTO url '%s' does not end with .proto" % u.v)
                self.f.externs.append((re.sub(r'\.proto$', '', name), u.v, u.line, importable))
                continue
            break
        if self.f.is_proto:
            self.parse_proto()
        else:
            while self.peek().t != 'end':
                t = self.peek()
                if t.t == 'id' and t.v in ('EXTERNPROTO', 'IMPORTABLE', 'PROTO'):
                    raise Fatal(t.line, '%s may not appear after the first node' % t.v)
                self.f.roots.append(self.parse_node_statement())

    def parse_proto(self):
        t = self.next()
        if t.v != 'PROTO':
            raise Fatal(t.line, "expected PROTO, found '%s'" % t.v)
        n = self.next()
        if n.t != 'id' or n.v in self.kw or not valid_identifier(n.v):
            raise Fatal(n.line, "'%s' is not a valid PROTO name" % n.v)
        self.f.proto_name, self.f.proto_line = n.v, n.line
        self.expect('[')
        while True:
            k = self.next()
            if k.t == 'punct' and k.v == ']':
                break
            if k.v not in FIELD_KINDS:
                if k.v in ('exposedField', 'eventIn', 'eventOut'):
                    self.p.error(self.where(k.line), "'%s' is not supported in a Webots PROTO interface" % k.v)
                else:
                    raise Fatal(k.line, "expected a field declaration or ']', found '%s'" % k.v)
            ty = self.next()
            if ty.v not in TYPES:
                raise Fatal(ty.line, "unknown field type '%s'" % ty.v)
            restrict = None
            if self.peek().t == 'punct' and self.peek().v == '{':
                restrict = self.parse_restriction()
            nm = self.next()
            if nm.t != 'id' or nm.v in self.kw or not valid_identifier(nm.v):
                raise Fatal(nm.line, "'%s' is not a valid field name" % nm.v)
            default = self.parse_value(nm.v, nm.line)
            if any(q.name == nm.v for q in self.f.params):
                self.p.error(self.where(nm.line), "interface field '%s' declared twice" % nm.v)
            self.f.params.append(Param(k.v, ty.v, nm.v, default, nm.line, restrict))
        self.expect('{')
        while not (self.peek().t == 'punct' and self.peek().v == '}'):
            if self.peek().t == 'end':
                raise Fatal(self.peek().line, "missing '}' at the end of the PROTO body")
            self.f.roots.append(self.parse_node_statement())
        self.expect('}')
        t = self.peek()
        if t.t != 'end':
            self.p.error(self.where(t.line), "unexpected '%s' after the end of the PROTO" % t.v)

    def parse_restriction(self):
        self.expect('{')
        items = []
        depth = 0
        cur = []
        while True:
            t = self.next()
            if t.t == 'end':
                raise Fatal(t.line, "missing '}' of a field value restriction")
            if t.t == 'punct' and t.v == '{':
                depth += 1
            elif t.t == 'punct' and t.v == '}':
                if depth == 0:
                    break
                depth -= 1
            else:
                cur.append(t)
        items = cur
        return items

    def parse_node_statement(self):
        t = self.next()
        if t.t != 'id':
            raise Fatal(t.line, "expected a node, found '%s'" % t.v)
        if t.v == 'USE':
            n = self.next()
            if n.t != 'id':
                raise Fatal(n.line, "expected a name after USE, found '%s'" % n.v)
            return Val('use', n.v, t.line)
        def_name = None
        if t.v == 'DEF':
            n = self.next()
            if n.t not in ('id', 'num') or (n.t == 'id' and n.v in self.kw):
                raise Fatal(n.line, "expected a name after DEF, found '%s'" % n.v)
            if not valid_identifier(n.v):
                self.p.error(self.where(n.line), "'%s' is not a valid DEF name" % n.v)
            def_name = n.v
            t = self.next()
            if t.t != 'id':
                raise Fatal(t.line, "expected a node type after DEF %s, found '%s' (a blank inside the DEF name?)" % (def_name, t.v))
        if t.v in self.kw or not valid_identifier(t.v):
            raise Fatal(t.line, "'%s' is not a node type" % t.v)
        if not (self.peek().t == 'punct' and self.peek().v == '{'):
            raise Fatal(self.peek().line, "expected '{' after node type %s, found '%s'" % (t.v, self.peek().v))
        node = Node(t.v, t.line, self.f.path, def_name)
        self.expect('{')
        while True:
            k = self.next()
            if k.t == 'punct' and k.v == '}':
                break
            if k.t == 'end':
                raise Fatal(node.line, "missing '}' of this %s node" % node.type)
            if k.t != 'id' or k.v in self.kw:
                raise Fatal(k.line, "expected a field name in %s, found '%s'" % (node.type, k.v))
            hidden = False
            if k.v == 'hidden' and self.peek().t == 'id' and self.peek().v not in self.kw:
                k = self.next()
                hidden = True
            val = self.parse_value(k.v, k.line)
            (node.hidden if hidden else node.fields).append((k.v, val, k.line))
        return Val('node', node, node.line)

    def parse_value(self, name, line):
        t = self.peek()
        if t.t == 'punct' and t.v == '[':
            self.next()
            items = []
            while True:
                t = self.peek()
                if t.t == 'punct' and t.v == ']':
                    self.next()
                    break
                if t.t == 'end':
                    raise Fatal(line, "missing ']' of field '%s'" % name)
                if t.t == 'punct' and t.v == '}':
                    raise Fatal(t.line, "found '}' where ']' of field '%s' (line %d) is expected" % (name, line))
                items.append(self.parse_single(name, True))
            return Val('list', items, line)
        return self.parse_single(name, False)

    def parse_single(self, name, in_list):
        t = self.peek()
        if t.t == 'num':
            nums = []
            while self.peek().t == 'num':
                k = self.next()
                nums.append((k.v, k.line))
            return Val('num', nums, t.line)
        if t.t == 'str':
            self.next()
            return Val('str', t.v, t.line)
        if t.t == 'id':
            if t.v in ('TRUE', 'FALSE'):
                self.next()
                return Val('bool', t.v == 'TRUE', t.line)
            if t.v == 'NULL':
                self.next()
                return Val('null', None, t.line)
            if t.v == 'IS':
                self.next()
                n = self.next()
                if n.t != 'id':
                    raise Fatal(n.line, "expected a field name after IS, found '%s'" % n.v)
                if in_list:
                    self.p.error(self.where(t.line), "IS is not allowed inside brackets (field '%s')" % name)
                return Val('is', n.v, t.line)
            if t.v in ('nan', 'inf', 'NaN', 'Infinity', 'None', 'True', 'False', 'true', 'false'):
                raise Fatal(t.line, "'%s' is not a VRML value (field '%s')" % (t.v, name))
            if t.v in ('DEF', 'USE') or (self.peek(1).t == 'punct' and self.peek(1).v == '{'):
                return self.parse_node_statement()
        raise Fatal(t.line, "expected a value for field '%s', found '%s'" % (name, t.v))


# ------------------------------------------------------------------------------------------------------------------- checker
def version_key(v):
    return v if v else (9999, 'z')


def vkey(text):
    m = re.match(r'R(\d{4})([a-z])', text)
    return (int(m.group(1)), m.group(2))


POSE_VERSION = vkey('R2023b')
EXTERN_VERSION = vkey('R2022b')


class Checker:
    def __init__(self, table, problems, files_on_disk=True):
        self.t = table
        self.nodes = table['nodes']
        self.sets = {k: set(v) for k, v in table['sets'].items()}
        self.legacy = table['legacy']
        self.kw = set(table['keywords'])
        self.p = problems
        self.on_disk = files_on_disk
        self.cache = {}
        self.opaque = []
        self.stats = {'urls': 0, 'nodes': 0, 'remote urls': 0}

    # -- loading
    def load(self, path, report=True):
        path = os.path.abspath(path)
        if path in self.cache:
            return self.cache[path]
        f = File(path)
        self.cache[path] = f
        p = self.p if report else Problems()
        try:
            raw = open(path, 'rb').read()
        except OSError as e:
            raise Fatal(0, 'cannot read %s: %s' % (path, e))
        if raw.startswith(b'\xef\xbb\xbf'):
            p.error((path, 1), 'file starts with a byte order mark; Webots expects the #VRML_SIM header first')
        try:
            text = raw.decode('utf-8-sig')
        except UnicodeDecodeError as e:
            p.error((path, raw[:e.start].count(b'\n') + 1), 'not valid UTF-8')
            text = raw.decode('utf-8', 'replace')
        first = text.split('\n', 1)[0].rstrip('\r')
        m = HEADER_RE.match(first)
        if not m:
            p.error((path, 1), "bad header '%s': expected exactly '#VRML_SIM R2025a utf8'" % first[:60])
            m3 = re.search(r'VRML_SIM (R(\d{4})([a-z]))', first)
            if m3:
                f.version_text, f.version = m3.group(1), (int(m3.group(2)), m3.group(3))
        else:
            f.version_text = m.group(1)
            f.version = (int(m.group(2)), m.group(3)) if m.group(2) else (int(m.group(4)), 'a')
            if m.group(4):
                p.note((path, 1), 'very old file format %s' % m.group(1))
        if re.search(r'%<|%\{|%\}', re.sub(r'"[^"\n]*"', '""', re.sub(r'(?m)^\s*#.*$', '', text))):
            f.template = True
            m2 = re.search(r'^\s*PROTO\s+(\S+)\s*\[', text, re.M)
            if m2:
                f.proto_name = m2.group(1)
            return f
        toks = tokenize(text)
        Parser(f, toks, self.kw, p).parse()
        return f

    def extern_map(self, f):
        """name -> File (local, loaded) or None (remote or unusable)"""
        res = {}
        base = os.path.dirname(f.path)
        for name, url, line, importable in f.externs:
            if name in res:
                self.p.warning((f.path, line), 'EXTERNPROTO %s declared twice' % name)
            target = None
            if re.match(r'^(https?|webots)://', url):
                self.stats['remote urls'] += 1
            elif re.match(r'^[a-z]+://', url):
                self.p.error((f.path, line), "EXTERNPROTO url '%s': unknown scheme" % url)
            else:
                if '\\' in url:
                    self.p.error((f.path, line), "EXTERNPROTO url '%s' uses backslashes" % url)
                path = url if os.path.isabs(url) else os.path.join(base, url)
                if os.path.isabs(url):
                    self.p.warning((f.path, line), "EXTERNPROTO url '%s' is an absolute path" % url)
                if not os.path.isfile(path):
                    if self.on_disk:
                        self.p.error((f.path, line), "EXTERNPROTO file '%s' does not exist" % url)
                else:
                    try:
                        target = self.load(path)
                    except Fatal as e:
                        self.p.error((os.path.abspath(path), e.line), e.text)
                    if target is not None and target.template:
                        self.p.note((f.path, line), 'PROTO %s is a template: its instances are not expanded' % name)
                        target = None
                    elif target is not None and target.proto_name and target.proto_name != name:
                        self.p.error((f.path, line), "PROTO name '%s' in %s does not match its file name" % (target.proto_name, url))
            res[name] = target
        return res

    # -- syntactic level: types, arity, IS, DEF/USE ---------------------------------------------------------------------
    def check_file(self, f):
        f.extern = self.extern_map(f)
        f.used_externs = set()
        params = {q.name: q for q in f.params}
        f.param_used = set()
        if f.is_proto:
            want = re.sub(r'\.proto$', '', os.path.basename(f.path))
            if f.proto_name != want:
                self.p.error((f.path, f.proto_line), "PROTO name '%s' does not match the file name '%s'" % (f.proto_name, os.path.basename(f.path)))
            if f.proto_name in self.nodes:
                self.p.error((f.path, f.proto_line), "PROTO name '%s' is the name of a base node" % f.proto_name)
            for q in f.params:
                defs = {}
                self.check_value(f, q.type, q.default, 'default of interface field ' + q.name, {}, defs, None, is_ok=False)
                if q.restrict and q.type in ('SFString', 'MFString', 'SFFloat', 'SFInt32') and q.default.kind in ('str',):
                    allowed = [t.v for t in q.restrict]
                    if q.default.data not in allowed:
                        self.p.error((f.path, q.line), "default of '%s' is not one of its accepted values" % q.name)
            if not f.roots:
                self.p.error((f.path, f.proto_line), 'the PROTO body is empty')
            elif len(f.roots) > 1:
                self.p.error((f.path, f.roots[1].line), 'a PROTO body may hold only one root node')
        defs = {}
        for v in f.roots:
            if v.kind == 'use':
                if f.is_proto:
                    self.p.error((f.path, v.line), 'USE %s cannot be the root of a PROTO' % v.data)
                elif v.data not in defs:
                    self.p.error((f.path, v.line), "USE '%s' has no previous DEF" % v.data)
                continue
            self.check_node(f, v.data, params, defs)
        if f.is_proto:
            for q in f.params:
                if q.name not in f.param_used and q.kind not in ('unconnectedField', 'hiddenField', 'deprecatedField'):
                    self.p.warning((f.path, q.line), "interface field '%s' is not connected to any node field with IS (use unconnectedField to silence)" % q.name)
        for name, url, line, importable in f.externs:
            if name not in f.used_externs and not importable:
                self.p.note((f.path, line), 'EXTERNPROTO %s is not used in this file' % name)

    def node_fields(self, f, type_, version):
        """(field table or None if opaque, why) for a node type used in file f"""
        if type_ in self.nodes:
            since = self.legacy['since'].get(type_)
            if since and version and version_key(version) < vkey(since):
                return None, '%s does not exist before %s' % (type_, since)
            return self.nodes[type_]['fields'], None
        return None, None

    def check_node(self, f, node, params, defs):
        self.stats['nodes'] += 1
        old = f.version is not None and f.version < POSE_VERSION
        fields, why = self.node_fields(f, node.type, f.version)
        where = (f.path, node.line)
        proto = None
        known = True
        if fields is None:
            if why:
                self.p.error(where, why)
                fields = self.nodes[node.type]['fields']
            elif node.type in f.extern:
                f.used_externs.add(node.type)
                proto = f.extern[node.type]
                if proto is None:
                    known = False
                else:
                    fields = {q.name: {'type': q.type, 'restrict': q.restrict} for q in proto.params}
            elif f.version is not None and f.version < EXTERN_VERSION:
                self.p.note(where, "'%s' is no base node; taken for a PROTO (EXTERNPROTO is only required since R2022b)" % node.type)
                known = False
            elif node.type in self.legacy['gone']:
                self.p.error(where, "node type '%s' no longer exists (now: %s)" % (node.type, self.legacy['gone'][node.type]))
                known = False
            else:
                self.p.error(where, "unknown node type '%s': neither a base node nor declared with EXTERNPROTO" % node.type)
                known = False
        seen = set()
        for name, val, line in node.fields:
            if name in seen:
                self.p.error((f.path, line), "field '%s' given twice in %s" % (name, node.type))
            seen.add(name)
            if not known:
                self.check_value(f, None, val, name, params, defs, node)
                continue
            fd = fields.get(name)
            if fd is None:
                ftype = None
                leg = self.legacy['field_until'].get(node.type, {}).get(name)
                if leg is None and self.is_solid(node.type):
                    leg = self.legacy['field_until']['<Solid>'].get(name)
                if leg and (f.version is None or f.version <= vkey(leg[1])):
                    ftype = leg[0]
                elif old:
                    self.p.warning((f.path, line), "%s has no field '%s' in R2023b or later" % (node.type, name))
                else:
                    self.p.error((f.path, line), "%s has no field '%s'" % (node.type, name))
                self.check_value(f, ftype, val, name, params, defs, node)
                continue
            if fd.get('kind') == 'deprecatedField':
                self.p.warning((f.path, line), "field '%s' of %s is deprecated" % (name, node.type))
            self.check_value(f, fd['type'], val, name, params, defs, node, fd=fd)
            if fd.get('restrict'):
                allowed = [t.v for t in fd['restrict']]
                if fd['type'] == 'SFString' and val.kind == 'str' and val.data not in allowed:
                    self.p.error((f.path, val.line), "'%s' is not an accepted value of field '%s' (%s)" % (val.data, name, ', '.join(allowed)))
        if node.def_name:
            defs[node.def_name] = node

    def is_solid(self, type_):
        return type_ in self.sets['solid']

    def check_value(self, f, ftype, val, name, params, defs, node, fd=None, is_ok=True):
        where = (f.path, val.line)
        label = "'%s'%s" % (name, (' of ' + node.type) if node else '')
        if val.kind == 'is':
            if not is_ok:
                self.p.error(where, '%s: IS is not allowed here' % label)
                return
            if not f.is_proto:
                self.p.error(where, '%s: IS outside a PROTO' % label)
                return
            q = params.get(val.data)
            if q is None:
                self.p.error(where, "%s: IS %s, but the PROTO has no such interface field" % (label, val.data))
                return
            f.param_used.add(val.data)
            if ftype and q.type != ftype:
                self.p.error(where, '%s has type %s but interface field %s has type %s' % (label, ftype, val.data, q.type))
            return
        items = val.data if val.kind == 'list' else [val]
        # node values are always walked
        for it in items:
            if it.kind == 'node':
                self.check_node(f, it.data, params, defs)
            elif it.kind == 'use':
                if it.data not in defs:
                    self.p.error((f.path, it.line), "USE '%s' has no previous DEF in this scope" % it.data)
            elif it.kind == 'num':
                for txt, ln in it.data:
                    if not NUM_RE.match(txt):
                        self.p.error((f.path, ln), "%s: '%s' is not a number" % (label, txt))
        if ftype is None:
            return
        multi = ftype.startswith('MF')
        base = ftype[2:]
        if val.kind == 'list' and not multi:
            self.p.error(where, '%s is %s: brackets are not allowed' % (label, ftype))
            return
        kinds = set(i.kind for i in items)
        if base == 'Node':
            bad = kinds - {'node', 'use', 'null'}
            if bad:
                self.p.error(where, '%s is %s: expected %s' % (label, ftype, 'nodes' if multi else 'a node or NULL'))
            if multi and 'null' in kinds:
                self.p.error(where, '%s is MFNode: NULL is not an MFNode value, use []' % label)
            return
        if base == 'String':
            if kinds - {'str'}:
                self.p.error(where, '%s is %s: expected %s' % (label, ftype, 'strings' if multi else 'a string'))
                return
            if fd and fd.get('values'):
                for i in items:
                    if i.data not in fd['values']:
                        self.p.error((f.path, i.line), "%s: '%s' is not one of %s" % (label, i.data, ', '.join(repr(x) for x in fd['values'])))
            if node is not None and (node.type, name) in URL_FIELDS:
                for i in items:
                    self.check_url(f, i.data, i.line, URL_FIELDS[(node.type, name)], label)
                if name == 'url' and not items:
                    self.p.warning(where, '%s is empty' % label)
                if name == 'url' and len(items) > 1 and node.type in ('Mesh', 'CadShape', 'ImageTexture'):
                    self.p.warning(where, '%s: only the first url is used' % label)
            return
        if base == 'Bool':
            if kinds - {'bool'}:
                self.p.error(where, '%s is %s: expected TRUE or FALSE' % (label, ftype))
            return
        # numeric
        if kinds - {'num'}:
            self.p.error(where, '%s is %s: expected numbers' % (label, ftype))
            return
        nums = [t for i in items for t in i.data]
        ar = ARITY[base]
        if not multi and len(nums) != ar:
            self.p.error(where, '%s is %s: %d value(s) expected, %d found' % (label, ftype, ar, len(nums)))
            return
        if multi and (len(nums) % ar or (val.kind != 'list' and len(nums) != ar)):
            self.p.error(where, '%s is %s: number of values (%d) is not a multiple of %d' % (label, ftype, len(nums), ar)
                         if len(nums) % ar else '%s is %s: brackets are required around %d values' % (label, ftype, len(nums)))
            return
        if base == 'Int32':
            for txt, ln in nums:
                if NUM_RE.match(txt) and not INT_RE.match(txt):
                    self.p.error((f.path, ln), "%s is %s: '%s' is not an integer" % (label, ftype, txt))
                    return
        try:
            x = [float(t) for t, _ in nums]
        except ValueError:
            return
        if any(not math.isfinite(v) for v in x):
            self.p.error(where, '%s: number out of range' % label)
            return
        if base == 'Color':
            for v in x:
                if not 0.0 <= v <= 1.0:
                    self.p.error(where, '%s: colour component %g outside [0, 1]' % (label, v))
                    break
        if base == 'Rotation':
            for i in range(0, len(x), 4):
                n = math.sqrt(sum(c * c for c in x[i:i + 3]))
                ln = nums[i][1]
                if n < 1e-9:
                    self.p.error((f.path, ln), '%s: rotation axis is the zero vector' % label)
                elif abs(n - 1) > 1e-3:
                    self.p.error((f.path, ln), '%s: rotation axis has length %.6g, not 1' % (label, n))
                elif abs(n - 1) > 5e-6:
                    self.p.note((f.path, ln), '%s: rotation axis has length %.7g' % (label, n))
        if node is not None:
            key = (node.type, name)
            if key in POSITIVE and any(v <= 0 for v in x):
                self.p.error(where, '%s must be positive' % label)
            if key == ('Transform', 'scale') and any(v == 0 for v in x):
                self.p.error(where, '%s must not be zero (Webots sets it to 1)' % label)
            if key in NONNEG and any(v < 0 for v in x):
                self.p.error(where, '%s must not be negative' % label)
            if key in UNIT01 and any(not 0 <= v <= 1 for v in x):
                self.p.error(where, '%s must be in [0, 1]' % label)
            if key in UNIT_AXES:
                n = math.sqrt(sum(c * c for c in x))
                if n < 1e-9:
                    self.p.error(where, '%s: axis is the zero vector' % label)
                elif abs(n - 1) > 1e-3:
                    self.p.error(where, '%s: axis has length %.6g, not 1' % (label, n))
                elif abs(n - 1) > 5e-6:
                    self.p.note(where, '%s: axis has length %.7g' % (label, n))

    def check_url(self, f, url, line, kind, label):
        where = (f.path, line)
        self.stats['urls'] += 1
        if url == '':
            if kind not in ('sound',) and 'noiseMaskUrl' not in label and 'modelUrl' not in label:
                self.p.warning(where, '%s: empty url' % label)
            return
        ext = os.path.splitext(url.split('?')[0])[1].lower()
        if ext not in URL_EXT[kind]:
            self.p.error(where, "%s: '%s': Webots reads %s here, not '%s'" % (label, url, ', '.join(URL_EXT[kind]), ext))
        m = re.match(r'^([A-Za-z][A-Za-z0-9+.-]*)://', url)
        if m:
            if m.group(1) not in ('http', 'https', 'webots'):
                self.p.error(where, "%s: '%s': Webots does not know the scheme '%s://'" % (label, url, m.group(1)))
            self.stats['remote urls'] += 1
            return
        if '\\' in url:
            self.p.error(where, "%s: '%s' uses backslashes" % (label, url))
        if os.path.isabs(url) or re.match(r'^[A-Za-z]:[/\\]', url):
            self.p.warning(where, "%s: '%s' is an absolute path (not portable)" % (label, url))
        if not self.on_disk:
            return
        path = url if os.path.isabs(url) else os.path.join(os.path.dirname(f.path), url)
        if not os.path.isfile(path):
            self.p.error(where, "%s: file '%s' does not exist" % (label, url))
            return
        if os.path.basename(path) not in os.listdir(os.path.dirname(path) or '.'):
            self.p.error(where, "%s: file '%s' exists only with another upper/lower case" % (label, url))
        why = sniff(path, ext)
        if why:
            self.p.error(where, "%s: '%s' %s" % (label, url, why))
        if kind == 'cad' and ext == '.obj':
            for miss in obj_missing(path):
                self.p.warning(where, "%s: '%s' refers to missing file '%s'" % (label, url, miss))


def sniff(path, ext):
    size = os.path.getsize(path)
    if size == 0:
        return 'is an empty file'
    with open(path, 'rb') as h:
        head = h.read(512)
    if ext == '.png' and not head.startswith(b'\x89PNG\r\n\x1a\n'):
        return 'is not a PNG file'
    if ext in ('.jpg', '.jpeg') and not head.startswith(b'\xff\xd8'):
        return 'is not a JPEG file'
    if ext == '.stl':
        if size >= 84:
            n = int.from_bytes(head[80:84], 'little')
            if 84 + 50 * n == size:
                return 'holds no triangle' if n == 0 else None
        if not head.lstrip().lower().startswith(b'solid'):
            return 'is neither a binary nor an ASCII STL file'
    if ext == '.dae' and b'<' not in head:
        return 'is not a COLLADA (XML) file'
    if ext == '.obj':
        with open(path, 'rb') as h:
            if not re.search(br'^\s*v\s', h.read(4000000), re.M):
                return 'holds no vertex'
    return None


def obj_missing(path):
    res = []
    base = os.path.dirname(path)
    try:
        with open(path, errors='replace') as h:
            libs = [l.split(None, 1)[1].strip() for l in h if l.startswith('mtllib') and len(l.split()) > 1]
    except OSError:
        return res
    for lib in libs:
        lp = os.path.join(base, lib)
        if not os.path.isfile(lp):
            res.append(lib)
            continue
        with open(lp, errors='replace') as h:
            for l in h:
                w = l.split()
                if w and w[0].lower() in ('map_kd', 'map_ka', 'map_ks', 'map_bump', 'bump', 'map_d', 'norm') and len(w) > 1:
                    tex = w[-1]
                    if not os.path.isfile(os.path.join(os.path.dirname(lp), tex)) and not os.path.isfile(os.path.join(base, tex)):
                        res.append(tex)
    return res


# --------------------------------------------------------------------------------------------------------------- evaluation
class E:
    """Evaluated node: base node with resolved field values (PROTO instances expanded)."""
    __slots__ = ('type', 'v', 'given', 'def_name', 'where', 'opaque', 'use', 'proto')

    def __init__(self, type_, where, def_name):
        self.type, self.where, self.def_name = type_, where, def_name
        self.v = {}
        self.given = set()
        self.opaque = False
        self.use = False
        self.proto = None


class Evaluator:
    def __init__(self, checker):
        self.c = checker
        self.depth = 0

    def world(self, f):
        defs = {}
        return [e for e in (self.node_val(f, v, {}, defs) for v in f.roots) if e is not None]

    def proto_root(self, f):
        env = {q.name: self.value(f, q.type, q.default, {}, {}) for q in f.params}
        defs = {}
        roots = [self.node_val(f, v, env, defs) for v in f.roots[:1]]
        return roots[0] if roots else None

    def node_val(self, f, v, env, defs):
        if v.kind == 'use':
            src = defs.get(v.data)
            if src is None:
                return None
            e = E(src.type, (f.path, v.line), None)
            e.v, e.given, e.opaque, e.use, e.proto = src.v, src.given, src.opaque, True, src.proto
            return e
        if v.kind != 'node':
            return None
        n = v.data
        if n.type in self.c.nodes:
            tab = self.c.nodes[n.type]['fields']
            e = E(n.type, (f.path, n.line), n.def_name)
            for name, val, line in n.fields:
                fd = tab.get(name)
                ft = fd['type'] if fd else None
                if ft is None:
                    leg = self.c.legacy['field_until'].get(n.type, {}).get(name) or (self.c.legacy['field_until']['<Solid>'].get(name) if self.c.is_solid(n.type) else None)
                    ft = leg[0] if leg else None
                e.v[name] = self.value(f, ft, val, env, defs)
                e.given.add(name)
            for name, fd in tab.items():
                if name not in e.v:
                    d = fd['default']
                    e.v[name] = list(d) if isinstance(d, list) else d
            if n.def_name:
                defs[n.def_name] = e
            return e
        proto = getattr(f, 'extern', {}).get(n.type)
        if proto is not None and self.depth < 20 and proto.roots:
            self.depth += 1
            try:
                inst = {name: (val, line) for name, val, line in n.fields}
                penv = {}
                for q in proto.params:
                    if q.name in inst:
                        penv[q.name] = self.value(f, q.type, inst[q.name][0], env, defs)
                    else:
                        penv[q.name] = self.value(proto, q.type, q.default, {}, {})
                if not hasattr(proto, 'extern'):
                    proto.extern = self.c.extern_map(proto)
                e = self.node_val(proto, proto.roots[0], penv, {})
            finally:
                self.depth -= 1
            if e is not None:
                r = E(e.type, (f.path, n.line), n.def_name)
                r.v, r.given, r.opaque, r.proto = e.v, e.given, e.opaque, n.type
                if n.def_name:
                    defs[n.def_name] = r
                return r
        e = E(n.type, (f.path, n.line), n.def_name)
        e.opaque = True
        e.proto = n.type
        for name, val, line in n.fields:
            e.v[name] = self.value(f, None, val, env, defs)
            e.given.add(name)
        if n.def_name:
            defs[n.def_name] = e
        return e

    def value(self, f, ftype, val, env, defs):
        if val.kind == 'is':
            return env.get(val.data)
        items = val.data if val.kind == 'list' else [val]
        if ftype is None:   # opaque PROTO or unknown field: guess
            if val.kind == 'list':
                if all(i.kind in ('node', 'use') for i in items):
                    return [e for e in (self.node_val(f, i, env, defs) for i in items) if e is not None]
                return [x for i in items for x in (self.plain(i) if i.kind == 'num' else [i.data])]
            if val.kind in ('node', 'use'):
                return self.node_val(f, val, env, defs)
            return self.plain(val) if val.kind == 'num' else val.data
        base, multi = ftype[2:], ftype.startswith('MF')
        if base == 'Node':
            r = [e for e in (self.node_val(f, i, env, defs) for i in items if i.kind in ('node', 'use')) if e is not None]
            return r if multi else (r[0] if r else None)
        if base in ('String', 'Bool'):
            r = [i.data for i in items]
            return r if multi else (r[0] if r else None)
        x = [y for i in items if i.kind == 'num' for y in self.plain(i)]
        n = ARITY[base]
        if multi:
            return x if n == 1 else [x[i:i + n] for i in range(0, len(x) - n + 1, n)]
        if n == 1:
            return x[0] if x else 0.0
        return x if len(x) == n else None

    @staticmethod
    def plain(v):
        out = []
        for t, _ in v.data:
            try:
                out.append(float(t))
            except ValueError:
                out.append(0.0)
        return out


# ----------------------------------------------------------------------------------------------------------------- geometry
def ident():
    return [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0]]


def mul(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def rot(axis, angle):
    x, y, z = axis
    n = math.sqrt(x * x + y * y + z * z)
    m = ident()
    if n < 1e-12:
        return m
    x, y, z = x / n, y / n, z / n
    c, s = math.cos(angle), math.sin(angle)
    t = 1 - c
    m[0][:3] = [t * x * x + c, t * x * y - s * z, t * x * z + s * y]
    m[1][:3] = [t * x * y + s * z, t * y * y + c, t * y * z - s * x]
    m[2][:3] = [t * x * z - s * y, t * y * z + s * x, t * z * z + c]
    return m


def trans(v):
    m = ident()
    for i in range(3):
        m[i][3] = v[i]
    return m


def around(anchor, r):
    return mul(trans(anchor), mul(r, trans([-c for c in anchor])))


def pose_of(e):
    t = e.v.get('translation') or [0, 0, 0]
    r = e.v.get('rotation') or [0, 0, 1, 0]
    return mul(trans(t), rot(r[:3], r[3]))


def scale_m(s):
    m = ident()
    for i in range(3):
        m[i][i] = s[i]
    return m


def apply_dir(m, v):
    return [sum(m[i][k] * v[k] for k in range(3)) for i in range(3)]


def apply_pt(m, v):
    return [sum(m[i][k] * v[k] for k in range(3)) + m[i][3] for i in range(3)]


def unit(v):
    n = math.sqrt(sum(c * c for c in v))
    return [c / n for c in v] if n > 1e-12 else list(v)


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rnd(x):
    if isinstance(x, list):
        return [rnd(i) for i in x]
    if isinstance(x, float):
        r = round(x, 9)
        return 0.0 if r == 0 else r
    return x


# ------------------------------------------------------------------------------------------------------------------ walking
class Dof:
    def __init__(self, joint, index, axis, device_field, params):
        self.joint, self.index, self.axis, self.params = joint, index, axis, params
        devs = joint.v.get(device_field) or []
        self.devices = devs
        self.motor = next((d for d in devs if d.type in ('RotationalMotor', 'LinearMotor')), None)
        self.sensor = next((d for d in devs if d.type == 'PositionSensor'), None)
        self.brake = next((d for d in devs if d.type == 'Brake'), None)
        hidden = joint.v.get('position' + ('' if index == 1 else str(index))) or 0.0
        given = params is not None and 'position' in params.given
        self.position = params.v.get('position', 0.0) if given else hidden

    def names(self):
        out = []
        for d in (self.motor, self.sensor, self.brake):
            if d is not None and d.v.get('name'):
                out.append(d.v['name'])
        return out


class Joint:
    def __init__(self, e, parent_solid):
        self.e = e
        self.type = e.type
        self.parent = parent_solid
        self.child = None
        p = e.v.get('jointParameters')
        if p is not None and p.opaque:
            p = None
        p2 = e.v.get('jointParameters2')
        p3 = e.v.get('jointParameters3')
        self.anchor = (p.v.get('anchor') if p is not None else None) or [0.0, 0.0, 0.0]
        self.dofs = []
        if e.type == 'HingeJoint':
            self.dofs.append(Dof(e, 1, (p.v.get('axis') if p is not None else None) or [1.0, 0, 0], 'device', p))
        elif e.type == 'SliderJoint':
            self.dofs.append(Dof(e, 1, (p.v.get('axis') if p is not None else None) or [0, 0, 1.0], 'device', p))
            self.anchor = None
        elif e.type == 'Hinge2Joint':
            self.dofs.append(Dof(e, 1, (p.v.get('axis') if p is not None else None) or [1.0, 0, 0], 'device', p))
            self.dofs.append(Dof(e, 2, (p2.v.get('axis') if p2 is not None else None) or [0, 0, 1.0], 'device2', p2))
        elif e.type == 'BallJoint':
            # WbBallJoint: axis() comes from jointParameters2, axis3() from jointParameters3, axis2() = axis3 x axis
            a1 = p2.v.get('axis') if p2 is not None else None
            a3 = p3.v.get('axis') if p3 is not None else None
            if a1 is None:
                if a3 is None:
                    a1 = [1.0, 0, 0]
                else:
                    c = cross(a3, [0, 0, 1.0])
                    a1 = c if max(map(abs, c)) > 1e-12 else cross(a3, [1.0, 0, 0])
            if a3 is None:
                if p2 is None:
                    a3 = [0, 0, 1.0]
                else:
                    c = cross(a1, [1.0, 0, 0])
                    a3 = c if max(map(abs, c)) > 1e-12 else cross(a1, [0, 0, 1.0])
            self.dofs.append(Dof(e, 1, a1, 'device', p))
            self.dofs.append(Dof(e, 2, cross(a3, a1), 'device2', p2))
            self.dofs.append(Dof(e, 3, a3, 'device3', p3))

    def name(self):
        for d in self.dofs:
            if d.motor is not None and d.motor.v.get('name'):
                return d.motor.v['name']
        for d in self.dofs:
            if d.sensor is not None and d.sensor.v.get('name'):
                return re.sub(r'[_ ]?(position[_ ]?)?sensor$', '', d.sensor.v['name']) or d.sensor.v['name']
        return self.e.def_name

    def motion(self, q):
        """4x4 of the child at joint values q (list) relative to its zero pose, in the frame of the parent."""
        if self.type == 'SliderJoint':
            a = unit(self.dofs[0].axis)
            return trans([c * q[0] for c in a])
        r = ident()
        for d, v in zip(self.dofs, q):
            r = mul(r, rot(d.axis, v))
        return around(self.anchor, r)

    def inverse_motion(self, q):
        if self.type == 'SliderJoint':
            return self.motion([-q[0]])
        r = ident()
        for d, v in zip(reversed(self.dofs), reversed(list(q))):
            r = mul(r, rot(d.axis, -v))
        return around(self.anchor, r)


class SolidInfo:
    def __init__(self, e, parent, path):
        self.e = e
        self.type = e.type
        self.name = e.v.get('name')
        self.parent = parent
        self.path = path
        self.joint = None
        self.world = None
        self.visuals = []
        self.collisions = []
        self.children = []
        self.joints = []
        self.robot = None


class Walker:
    """Placement checks and the solid/joint tree on the evaluated nodes."""

    def __init__(self, checker, f, values=None, initial=False, report=True):
        self.c = checker
        self.f = f
        self.sets = checker.sets
        self.p = checker.p if report else Problems()
        self.solids = []
        self.joints = []
        self.refs = []
        self.opaque = []
        self.opaque_solids = []
        self.values = values or {}
        self.used_values = set()
        self.initial = initial
        self.devices = {}
        self.lib_ctx = False
        self.counters = {}

    def is_old(self, e):
        """True if the file that holds this node declares a version before R2023b (Webots converts such files itself)."""
        g = self.c.cache.get(e.where[0]) or self.f
        return g.version is not None and g.version < POSE_VERSION

    # -- placement ------------------------------------------------------------------------------------------------------
    def place(self, parent, field, child, ctx):
        """ctx: dict(bounding, transform, solid, robot, slot_parent=(parent, field, ctx) or None, top)"""
        if child is None or child.opaque or (parent is not None and parent.opaque):
            return
        ct = child.type
        pt = parent.type if parent is not None else None
        err = None
        s = self.sets
        old = self.is_old(child) or (parent is not None and self.is_old(parent))
        pose_like = ('Pose', 'Transform') if old else ('Pose',)
        if ctx['top']:
            if ct not in s['world_top_level'] and ct not in s['device']:
                err = '%s cannot be at the top level of a world' % ct
            elif ct in s['device']:
                err = '%s needs a Robot ancestor; it cannot be at the top level of a world' % ct
        elif field == 'boundingObject':
            if ct not in ('Shape', 'Group') and ct not in pose_like and ct not in s['collision_geometry']:
                err = "%s cannot be in 'boundingObject' (allowed: Shape, Group, %s, %s)" % (ct, pose_like[0], ', '.join(sorted(s['collision_geometry'])))
                if ct == 'Transform':
                    err = "Transform cannot be in 'boundingObject' since R2023b: use Pose (without scale)"
        elif ctx['bounding'] and field == 'children':
            ok = ct == 'Shape' or ct in s['collision_geometry'] or (ct in pose_like and pt not in pose_like)
            if not ok:
                err = "%s cannot be in 'children' of %s inside a boundingObject" % (ct, pt)
        elif ctx['bounding'] and field == 'geometry':
            if ct not in s['collision_geometry']:
                err = '%s geometry cannot be used in a boundingObject' % ct
        elif field == 'children':
            err = self.child_error(parent, ct, ctx, old)
        elif field == 'endPoint' and pt == 'Slot':
            if ct != 'Slot' and not ctx.get('proto_root'):
                err = 'only a Slot may be in the endPoint of a Slot that is not the second one of a pair, not %s' % ct
        elif field == 'endPoint':
            if ct not in s['solid'] and ct not in ('SolidReference', 'Slot'):
                err = "%s cannot be the endPoint of %s (Solid, SolidReference or Slot expected)" % (ct, pt)
            elif ct == 'Robot':
                self.p.warning(child.where, 'a Robot as endPoint of a joint is refused by Webots up to R2023b')
        else:
            acc = self.c.nodes[pt]['fields'].get(field, {}).get('accepts') if pt in self.c.nodes else None
            if acc is not None and ct not in acc:
                if not (old and ct in ('Transform',) and 'Pose' in acc):
                    err = "%s cannot be in field '%s' of %s (allowed: %s)" % (ct, field, pt, ', '.join(acc))
            if field in ('device', 'device2', 'device3') and err is None and ctx['robot'] is False:
                err = '%s needs a Robot ancestor' % ct
        if err:
            self.p.error(child.where, err)
        if field == 'appearance' and ct == 'PBRAppearance' and parent is not None:
            g = parent.v.get('geometry')
            if g is not None and g.type in ('IndexedLineSet', 'PointSet'):
                self.p.error(child.where, '%s does not support PBRAppearance' % g.type)

    def child_error(self, parent, ct, ctx, old):
        s = self.sets
        pt = parent.type
        if ct in ('Group', 'Transform', 'Shape', 'CadShape') or ct == 'Pose':
            return None
        if pt == 'Billboard' or ctx.get('billboard'):
            return '%s is not allowed below a Billboard' % ct
        if ctx.get('animated') and ct != 'Slot':
            return '%s is not allowed below animatedGeometry' % ct
        if (pt == 'TrackWheel' or ctx.get('trackwheel')) and ct != 'Slot':
            return '%s is not allowed below a TrackWheel' % ct
        if ctx['transform'] and not old and (ct in s['solid'] or ct in s['joint'] or ct in ('Propeller', 'PointLight', 'SpotLight', 'DirectionalLight', 'Slot')):
            return '%s is not allowed below a Transform since R2023b (use Pose)' % ct
        if ct in ('Solid', 'Robot', 'PointLight', 'SpotLight', 'Propeller', 'Charger', 'Slot'):
            return None
        if ct == 'Skin':
            return None if pt == 'Robot' else 'Skin is only allowed in the children of a Robot'
        if ct == 'TrackWheel':
            return None if pt == 'Track' else 'TrackWheel is only allowed in the children of a Track'
        if ct in s['joint'] or ct in ('Connector', 'VacuumGripper'):
            if pt in s['solid'] or ctx['solid'] is not False:
                return None
            return '%s needs a Solid ancestor' % ct
        if ct in s['device']:
            return None if ctx['robot'] is not False else '%s needs a Robot ancestor' % ct
        if ct in s['top_level_only']:
            return '%s is only allowed at the top level of a world' % ct
        return "%s cannot be in 'children' of %s" % (ct, pt)

    # -- tree -----------------------------------------------------------------------------------------------------------
    def run(self, roots, in_proto):
        unknown = None if in_proto else False
        for e in roots:
            ctx = {'bounding': False, 'transform': False, 'solid': unknown, 'robot': unknown, 'top': not in_proto}
            if in_proto and e.type in self.sets['collision_geometry'] | {'Shape', 'Group', 'Pose'}:
                self.lib_ctx = True
            self.place(None, None, e, ctx if not in_proto else dict(ctx, top=False, bounding=False)) if not in_proto else None
            self.visit(e, ident(), None, dict(ctx, top=False, proto_root=in_proto and e.type == 'Slot'), ident(), [1, 1, 1], None)
        self.after()

    def visit(self, e, m, solid, ctx, rel, scl, joint):
        """m: world matrix of the parent frame; rel: matrix relative to the enclosing solid (with scale)."""
        if e is None:
            return
        if e.opaque:
            self.opaque.append(e)
            self.opaque_solids.append(e)
            self.c.opaque.append(e)
            ghost = SolidInfo(e, solid, (solid.path + '/' if solid else '') + str(e.v.get('name') or e.def_name or e.type))
            ghost.world = m
            c2 = dict(ctx, robot=None, solid=None, pose_unknown=True, robot_info=ctx.get('robot_info') or ghost)
            for k, v in e.v.items():
                for c in (v if isinstance(v, list) else [v]):
                    if isinstance(c, E) and (c.opaque or c.type in self.sets['solid'] | self.sets['joint'] | {'Pose', 'Transform', 'Group', 'Slot', 'Shape', 'CadShape'}):
                        self.visit(c, m, ghost, c2, rel, scl, None)
                    elif isinstance(c, E):
                        self.sub(c, c2)
            return
        t = e.type
        s = self.sets
        if t in s['solid']:
            self.visit_solid(e, m, solid, ctx, joint)
            return
        if t in s['joint']:
            self.visit_joint(e, m, solid, ctx)
            return
        if t in ('Pose', 'Transform', 'Group', 'Billboard', 'TrackWheel', 'Fluid'):
            mm, rr = m, rel
            c2 = dict(ctx)
            if t in ('Pose', 'Transform', 'Fluid'):
                mm = mul(m, pose_of(e))
                rr = mul(rel, pose_of(e))
                sc = e.v.get('scale') if t == 'Transform' else None
                if sc:
                    mm = mul(mm, scale_m(sc))
                    rr = mul(rr, scale_m(sc))
            if t == 'Transform' and not self.is_old(e):
                c2['transform'] = True
            if t == 'TrackWheel':
                c2['trackwheel'] = True
            if t == 'Billboard':
                c2['billboard'] = True
            kids = e.v.get('children') or []
            for ch in kids:
                self.place(e, 'children', ch, c2)
                self.visit(ch, mm, solid, c2, rr, scl, None)
            if t == 'Fluid':
                self.visit_bounding(e, solid, m)
            return
        if t == 'Slot':
            ch = e.v.get('endPoint')
            c2 = dict(ctx)
            if ch is not None:
                self.place(e, 'endPoint', ch, c2)
                if ch.type == 'Slot' and not ch.opaque:
                    inner = ch.v.get('endPoint')
                    if inner is not None:
                        self.place_slot(inner, ctx)
                        self.visit(inner, m, solid, ctx, rel, scl, joint)
                else:
                    self.visit(ch, m, solid, ctx, rel, scl, joint)
            return
        if t in ('Shape', 'CadShape'):
            if t == 'Shape':
                for fl in ('appearance', 'geometry'):
                    ch = e.v.get(fl)
                    if ch is not None:
                        self.place(e, fl, ch, ctx)
                        self.sub(ch, ctx)
                if e.v.get('geometry') is None:
                    self.p.warning(e.where, 'Shape without geometry')
            if solid is not None:
                solid.visuals.append(self.shape_info(e, rel))
            return
        self.sub(e, ctx)

    def place_slot(self, inner, ctx):
        if inner.type == 'Slot' and not inner.opaque:
            self.p.error(inner.where, 'three Slot nodes in a row are not allowed')
            return
        up = ctx.get('slot_origin')
        if up is not None:
            p2, f2, c2 = up
            self.place(p2, f2, inner, c2)

    def sub(self, e, ctx):
        """checks the placement of the node fields of a leaf node (appearance, geometry parts, motors, physics...)"""
        if e.opaque:
            self.opaque.append(e)
            return
        for k, v in e.v.items():
            for ch in (v if isinstance(v, list) else [v]):
                if isinstance(ch, E):
                    self.place(e, k, ch, dict(ctx))
                    self.sub(ch, ctx)

    def shape_info(self, e, rel):
        d = {'type': e.type, 'matrix': rnd(rel)}
        if e.type == 'CadShape':
            d['url'] = (e.v.get('url') or [None])[0]
            return d
        g = e.v.get('geometry')
        if g is not None:
            d.update(self.geom_info(g))
        a = e.v.get('appearance')
        if a is not None:
            d['appearance'] = a.type
            for k in ('baseColor', 'transparency', 'roughness', 'metalness'):
                if a.type == 'PBRAppearance':
                    d[k] = rnd(a.v.get(k))
            tex = a.v.get('baseColorMap') or a.v.get('texture')
            if isinstance(tex, E):
                d['texture'] = (tex.v.get('url') or [None])[0]
        return d

    def geom_info(self, g):
        d = {'geometry': g.type}
        if g.opaque:
            d['opaque'] = True
            return d
        for k in ('size', 'radius', 'height', 'bottomRadius', 'url', 'ccw'):
            if k in g.v and not (g.type == 'ElevationGrid' and k == 'height'):
                val = g.v[k]
                d[k] = rnd(val[0] if k == 'url' and val else val)
        if g.type == 'IndexedFaceSet' and isinstance(g.v.get('coord'), E):
            d['points'] = len(g.v['coord'].v.get('point') or [])
            d['faces'] = sum(1 for i in g.v.get('coordIndex') or [] if i == -1)
        return d

    def visit_solid(self, e, m, parent, ctx, joint):
        nm = e.v.get('name')
        key = nm if isinstance(nm, str) and nm else (e.def_name or '?')
        path = (parent.path + '/' if parent else '') + key
        k = self.counters.get(path, 0)
        self.counters[path] = k + 1
        if k:
            path += '#%d' % k
        si = SolidInfo(e, parent, path)
        si.joint = joint
        si.pose_known = not ctx.get('pose_unknown')
        self.solids.append(si)
        if parent:
            parent.children.append(si)
        # world pose
        if joint is not None:
            q0 = [d.position for d in joint.dofs]
            t0 = mul(joint.inverse_motion(q0), pose_of(e))     # in the parent frame, at zero
            q = self.joint_values(joint)
            si.world = mul(m, mul(joint.motion(q), t0))
            joint.child = si
        else:
            si.world = mul(m, pose_of(e))
        if self.is_old(e) and e.v.get('scale') and e.v['scale'] != [1, 1, 1]:
            si.world = mul(si.world, scale_m(e.v['scale']))
        c2 = dict(ctx, solid=True, bounding=False)
        if e.type == 'Robot':
            c2['robot'] = True
            c2['robot_info'] = si
        si.robot = c2.get('robot_info')
        if e.type in self.sets['device']:
            self.device(e, nm, c2)
        for ch in e.v.get('children') or []:
            self.place(e, 'children', ch, c2)
            self.visit(ch, si.world, si, dict(c2, slot_origin=(e, 'children', c2)), ident(), [1, 1, 1], None)
        self.visit_bounding(e, si, si.world)
        for fl, v in e.v.items():
            if fl in ('children', 'boundingObject'):
                continue
            for ch in (v if isinstance(v, list) else [v]):
                if isinstance(ch, E):
                    c3 = dict(c2)
                    if fl == 'animatedGeometry':
                        c3['animated'] = True
                    self.place(e, fl, ch, c3)
                    if fl in ('rotatingHead', 'animatedGeometry'):
                        self.visit(ch, si.world, si, c3, ident(), [1, 1, 1], None)
                    else:
                        self.sub(ch, c3)
                        if fl == 'device':
                            self.device(ch, ch.v.get('name'), c3)

    def device(self, d, name, ctx):
        if d.opaque or not isinstance(name, str):
            return
        if name == '':
            self.p.error(d.where, '%s has an empty name' % d.type)
            return
        if d.type in ('RotationalMotor', 'LinearMotor'):
            rest = name.replace('::', '', 1)
            if '::' in rest:
                self.p.warning(d.where, "motor name '%s' holds '::' more than once (coupled motors are 'group::name')" % name)
            elif ':' in rest:
                self.p.error(d.where, "motor name '%s' may not hold ':'" % name)
        elif ':' in name and d.type in self.sets['solid']:
            self.p.error(d.where, "name '%s' of %s may not hold ':'" % (name, d.type))
        rob = ctx.get('robot_info')
        key = (id(rob) if rob else 0, name)
        if key in self.devices:
            self.p.error(d.where, "device name '%s' is used twice in this robot (also line %d)" % (name, self.devices[key].where[1]))
        else:
            self.devices[key] = d

    def visit_bounding(self, e, solid, m):
        b = e.v.get('boundingObject')
        if b is None:
            return
        ctx = {'bounding': True, 'transform': False, 'solid': True, 'robot': None, 'top': False}
        self.place(e, 'boundingObject', b, dict(ctx, bounding=False))
        self.bounding(b, solid, ctx, ident())

    def bounding(self, b, solid, ctx, rel):
        if b.opaque:
            self.opaque.append(b)
            return
        if b.type in ('Group', 'Pose', 'Transform'):
            r = rel
            if b.type != 'Group':
                r = mul(rel, pose_of(b))
                if b.type == 'Transform' and b.v.get('scale'):
                    r = mul(r, scale_m(b.v['scale']))
            kids = b.v.get('children') or []
            if not kids:
                self.p.warning(b.where, 'empty %s in a boundingObject' % b.type)
            if b.type != 'Group' and len(kids) > 1:
                self.p.warning(b.where, 'a %s in a boundingObject uses only its first child (%d given)' % (b.type, len(kids)))
            for ch in kids:
                self.place(b, 'children', ch, ctx)
                self.bounding(ch, solid, ctx, r)
            return
        if b.type == 'Shape':
            g = b.v.get('geometry')
            if g is None:
                self.p.warning(b.where, 'Shape without geometry in a boundingObject')
                return
            self.place(b, 'geometry', g, ctx)
            b = g
            if b.opaque:
                return
        if b.type in self.sets['geometry']:
            self.sub(b, ctx)
            if solid is not None:
                d = {'matrix': rnd(rel)}
                d.update(self.geom_info(b))
                solid.collisions.append(d)
                if b.type == 'Plane' and solid.e.v.get('physics') is not None:
                    self.p.error(b.where, 'a Plane cannot be in the boundingObject of a Solid with Physics')

    def visit_joint(self, e, m, solid, ctx):
        for fl, v in e.v.items():
            if fl == 'endPoint':
                continue
            for ch in (v if isinstance(v, list) else [v]):
                if isinstance(ch, E):
                    self.place(e, fl, ch, ctx)
                    self.sub(ch, ctx)
                    if fl.startswith('device'):
                        self.device(ch, ch.v.get('name'), ctx)
        j = Joint(e, solid)
        j.frame = m
        self.joints.append(j)
        if solid is not None:
            solid.joints.append(j)
        end = e.v.get('endPoint')
        if end is None:
            self.p.warning(e.where, '%s without endPoint' % e.type)
        else:
            self.place(e, 'endPoint', end, ctx)
            if end.opaque:
                self.opaque.append(end)
                self.opaque_solids.append(end)
                self.c.opaque.append(end)
            elif end.type == 'SolidReference':
                self.refs.append((end, solid))
                j.reference = end.v.get('solidName')
            elif end.type == 'Slot':
                self.visit(end, m, solid, dict(ctx, slot_origin=(e, 'endPoint', ctx)), ident(), [1, 1, 1], j)
            elif end.type in self.sets['solid']:
                self.visit_solid(end, m, solid, ctx, j)
        self.check_joint(j)

    # -- joint values ----------------------------------------------------------------------------------------------------
    def joint_values(self, j):
        out = []
        for i, d in enumerate(j.dofs):
            val = None
            for n in d.names():
                if n in self.values:
                    val = self.values[n]
                    self.used_values.add(n)
                    break
            if val is None and d.motor is not None and '::' in (d.motor.v.get('name') or ''):
                g = d.motor.v['name'].split('::')[0]
                if g in self.values:
                    val = self.values[g] * (d.motor.v.get('multiplier') or 1)
                    self.used_values.add(g)
            for alias in (j.e.def_name, j.name()):
                if val is None and alias and alias in self.values:
                    v = self.values[alias]
                    if isinstance(v, list):
                        val = v[i] if i < len(v) else 0.0
                        self.used_values.add(alias)
                    elif i == 0:
                        val = v
                        self.used_values.add(alias)
            if val is None:
                val = d.position if self.initial else 0.0
            elif isinstance(val, list):
                val = val[i] if i < len(val) else 0.0
            out.append(float(val))
        return out

    # -- joint and physics checks ----------------------------------------------------------------------------------------
    def check_joint(self, j):
        e = j.e
        rotational = j.type != 'SliderJoint'
        if e.v.get('jointParameters') is None and j.type != 'BallJoint':
            self.p.note(e.where, '%s without jointParameters: default axis is used' % j.type)
        if j.type == 'Hinge2Joint':
            c = cross(unit(j.dofs[0].axis), unit(j.dofs[1].axis))
            if math.sqrt(sum(x * x for x in c)) < 1e-6:
                self.p.error(e.where, 'Hinge2Joint: the two axes are parallel')
        if j.type == 'BallJoint':
            d = sum(a * b for a, b in zip(unit(j.dofs[0].axis), unit(j.dofs[2].axis)))
            if abs(d) > 1e-3:
                self.p.warning(e.where, 'BallJoint: the axes of jointParameters2 and jointParameters3 are not perpendicular')
        for d in j.dofs:
            kinds = [x.type for x in d.devices if not x.opaque]
            for k in ('PositionSensor', 'Brake'):
                if kinds.count(k) > 1:
                    self.p.warning(e.where, 'more than one %s on one axis of a %s: only the first is used' % (k, j.type))
            if sum(1 for k in kinds if k in ('RotationalMotor', 'LinearMotor')) > 1:
                self.p.warning(e.where, 'more than one motor on one axis of a %s: only the first is used' % j.type)
            pw = d.params.where if d.params is not None else e.where
            lo = hi = 0.0
            if d.params is not None:
                lo, hi = d.params.v.get('minStop') or 0.0, d.params.v.get('maxStop') or 0.0
                if lo > hi:
                    self.p.error(pw, 'minStop %g is larger than maxStop %g' % (lo, hi))
                elif lo or hi:
                    if rotational and not (-math.pi - 1e-5 <= lo <= 1e-9 and -1e-9 <= hi <= math.pi + 1e-5):
                        self.p.error(pw, 'minStop must be in [-pi, 0] and maxStop in [0, pi] for a rotational joint (%g, %g)' % (lo, hi))
                    if not lo - 1e-9 <= d.position <= hi + 1e-9:
                        self.p.error(pw, 'position %g is outside the hard stops [%g, %g]' % (d.position, lo, hi))
                    elif d.position in (lo, hi):
                        self.p.warning(pw, 'position %g is exactly at a hard stop: the simulation may be unstable' % d.position)
            if d.motor is not None and not d.motor.opaque:
                mw = d.motor.where
                mn, mx = d.motor.v.get('minPosition') or 0.0, d.motor.v.get('maxPosition') or 0.0
                if mn > mx:
                    self.p.error(mw, 'minPosition %g is larger than maxPosition %g' % (mn, mx))
                elif mn != mx:
                    if not mn - 1e-6 <= d.position <= mx + 1e-6:
                        self.p.error(mw, 'joint position %g is outside the motor limits [%g, %g]' % (d.position, mn, mx))
                    if lo != hi and (mn < lo - 1e-9 or mx > hi + 1e-9):
                        self.p.error(mw, 'motor limits [%g, %g] are not inside the hard stops [%g, %g]' % (mn, mx, lo, hi))
                elif mn == mx and mn != 0:
                    self.p.warning(mw, 'minPosition = maxPosition = %g: Webots ignores both (no limit)' % mn)
                if (d.motor.v.get('multiplier') or 0) == 0:
                    self.p.error(mw, 'multiplier must not be 0')
                if d.motor.v.get('maxVelocity') == 0:
                    self.p.warning(mw, 'maxVelocity is 0: the motor cannot move')

    def after(self):
        names = {}
        for s in self.solids:
            nm = s.name
            if isinstance(nm, str):
                if nm == '':
                    self.p.error(s.e.where, '%s has an empty name' % s.type)
                if ':' in nm and s.type not in self.sets['device']:
                    self.p.error(s.e.where, "Solid name '%s' may not hold ':'" % nm)
                key = (id(s.parent), nm)
                if key in names and not s.e.use:
                    self.p.warning(s.e.where, "two sibling solids are named '%s' (also line %d)" % (nm, names[key].e.where[1]))
                names.setdefault(key, s)
            self.check_physics(s)
        allnames = set(s.name for s in self.solids)
        for r, par in self.refs:
            n = r.v.get('solidName')
            if n not in allnames and n not in ('<static environment>', '') and not self.opaque_solids:
                self.p.error(r.where, "SolidReference: no Solid is named '%s'" % n)
            if n == '':
                self.p.error(r.where, 'SolidReference without solidName')
        # rule (1) of the reference manual: no Solid without Physics between two with Physics
        for s in self.solids:
            if s.e.v.get('physics') is None:
                par = s.parent
                has_up = False
                while par is not None:
                    if par.e.v.get('physics') is not None:
                        has_up = True
                        break
                    par = par.parent
                if has_up and self.has_physics_below(s):
                    self.p.error(s.e.where, "Solid '%s' has no Physics but has both an ancestor and a descendant with Physics" % s.name)
        # coupled motors
        groups = {}
        for j in self.joints:
            for d in j.dofs:
                if d.motor is not None and '::' in (d.motor.v.get('name') or ''):
                    rob = j.parent.robot if j.parent else None
                    groups.setdefault((id(rob), d.motor.v['name'].split('::')[0]), []).append(d.motor)
        for (_, g), ms in groups.items():
            if len(ms) < 2:
                self.p.warning(ms[0].where, "coupled motor group '%s' has only one motor" % g)
                continue
            a = ms[0]
            ma = a.v.get('multiplier') or 1
            for b in ms[1:]:
                mb = b.v.get('multiplier') or 1
                lo, hi = sorted((a.v['minPosition'] * mb / ma, a.v['maxPosition'] * mb / ma))
                if abs(lo - b.v['minPosition']) > 1e-6 * max(1, abs(lo)) or abs(hi - b.v['maxPosition']) > 1e-6 * max(1, abs(hi)):
                    self.p.error(b.where, "coupled motors '%s': position limits must be in the ratio of the multipliers: expected [%g, %g], found [%g, %g]" % (g, lo, hi, b.v['minPosition'], b.v['maxPosition']))
                ve = abs(a.v['maxVelocity'] * mb / ma)
                if abs(ve - b.v['maxVelocity']) > 1e-6 * max(1, ve):
                    self.p.error(b.where, "coupled motors '%s': maxVelocity must be in the ratio of the multipliers: expected %g, found %g" % (g, ve, b.v['maxVelocity']))
        masses = [s.e.v['physics'].v['mass'] for s in self.solids if isinstance(s.e.v.get('physics'), E) and not s.e.v['physics'].opaque and (s.e.v['physics'].v.get('mass') or 0) > 0]
        if masses and max(masses) / min(masses) > 100:
            self.p.note(self.solids[0].e.where, 'mass ratio of the heaviest to the lightest solid is %.3g (%g / %g kg): Webots warns about huge ratios' % (max(masses) / min(masses), max(masses), min(masses)))
        for s in self.solids:
            e = s.e
            v = e.v
            if e.type in ('Lidar', 'RangeFinder'):
                if (v.get('minRange') or 0) < (v.get('near') or 0) - 1e-12:
                    self.p.error(e.where, '%s: minRange %g is smaller than near %g' % (e.type, v['minRange'], v['near']))
                if (v.get('maxRange') or 0) <= (v.get('minRange') or 0):
                    self.p.error(e.where, '%s: maxRange %g is not larger than minRange %g' % (e.type, v['maxRange'], v['minRange']))
            if e.type == 'Camera' and v.get('far') and v['far'] <= v.get('near', 0):
                self.p.error(e.where, 'Camera: far %g is not larger than near %g' % (v['far'], v['near']))
            if e.type in ('Camera', 'RangeFinder', 'Lidar'):
                fov = v.get('fieldOfView') or 0
                lim = math.pi if v.get('projection') == 'planar' else 2 * math.pi
                if fov > lim + 1e-6 or (v.get('projection') == 'planar' and fov >= math.pi - 1e-6):
                    self.p.error(e.where, '%s: fieldOfView %g is too large for the %s projection' % (e.type, fov, v.get('projection')))
            if e.type in ('InertialUnit', 'Connector', 'VacuumGripper') and s.parent is not None and not s.parent.e.opaque and s.parent.e.v.get('physics') is None:
                self.p.warning(e.where, '%s needs Physics in its parent Solid to work' % e.type)
            if e.type == 'TouchSensor':
                if v.get('boundingObject') is None:
                    self.p.warning(e.where, 'TouchSensor without boundingObject cannot feel a contact')
                if v.get('type') != 'bumper' and v.get('physics') is None:
                    self.p.warning(e.where, "TouchSensor of type '%s' needs Physics" % v.get('type'))

    def has_physics_below(self, s):
        return any(c.e.v.get('physics') is not None or self.has_physics_below(c) for c in s.children)

    def check_physics(self, s):
        ph = s.e.v.get('physics')
        if ph is None or ph.opaque or ph.type != 'Physics':
            return
        w = ph.where
        v = ph.v
        density, mass = v.get('density'), v.get('mass')
        if density is None or mass is None:
            return
        if mass != -1 and mass <= 0:
            self.p.error(w, 'mass %g must be positive (or -1)' % mass)
        if density != -1 and density <= 0:
            self.p.error(w, 'density %g must be positive (or -1)' % density)
        if mass == -1 and density == -1:
            self.p.error(w, 'neither mass nor density is given')
        if mass > 0 and density != -1:
            self.p.error(w, 'mass %g is ignored because density is %g: density must be -1' % (mass, density))
        com, im = v.get('centerOfMass') or [], v.get('inertiaMatrix') or []
        if len(com) > 1:
            self.p.error(w, 'centerOfMass holds %d vectors, at most 1 is allowed' % len(com))
        if im:
            if len(im) != 2:
                self.p.error(w, 'inertiaMatrix holds %d vectors, it must hold exactly 2' % len(im))
            else:
                if mass <= 0 or density != -1:
                    self.p.error(w, 'inertiaMatrix needs mass > 0 and density -1')
                if len(com) != 1:
                    self.p.error(w, 'inertiaMatrix is given but centerOfMass is not')
                (a, b, c), (d, e, f) = im
                det3 = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e)
                det2 = a * b - d * d
                if not (a > 0 and det2 > 0 and det3 > 0 and b > 0 and c > 0):
                    self.p.error(w, 'inertiaMatrix is not positive definite')
                else:
                    ev = eig3(a, b, c, d, e, f)
                    if ev[2] > (ev[0] + ev[1]) * (1 + 1e-4):
                        self.p.warning(w, 'principal moments %.4g %.4g %.4g break the triangle inequality (no real body has this inertia)' % tuple(ev))
        b = s.e.v.get('boundingObject')
        if b is None:
            if not im:
                self.p.warning(w, "Solid '%s' has Physics but neither boundingObject nor inertiaMatrix" % s.name)
            else:
                self.p.note(w, "Solid '%s' has Physics but no boundingObject (it will not collide)" % s.name)


def eig3(a, b, c, d, e, f):
    """eigenvalues (ascending) of [[a d e][d b f][e f c]]"""
    p1 = d * d + e * e + f * f
    if p1 == 0:
        return sorted((a, b, c))
    q = (a + b + c) / 3
    p2 = (a - q) ** 2 + (b - q) ** 2 + (c - q) ** 2 + 2 * p1
    p = math.sqrt(p2 / 6)
    B = [[(a - q) / p, d / p, e / p], [d / p, (b - q) / p, f / p], [e / p, f / p, (c - q) / p]]
    r = (B[0][0] * (B[1][1] * B[2][2] - B[1][2] ** 2) - B[0][1] * (B[0][1] * B[2][2] - B[1][2] * B[0][2]) + B[0][2] * (B[0][1] * B[1][2] - B[1][1] * B[0][2])) / 2
    phi = math.acos(max(-1, min(1, r))) / 3
    e1 = q + 2 * p * math.cos(phi)
    e3 = q + 2 * p * math.cos(phi + 2 * math.pi / 3)
    return sorted((e1, 3 * q - e1 - e3, e3))


# ---------------------------------------------------------------------------------------------------------------- output
def tree_json(w, f):
    def solid(s):
        e = s.e
        d = {'name': s.name, 'type': s.type, 'path': s.path, 'def': e.def_name, 'line': e.where[1], 'parent': s.parent.path if s.parent else None,
             'joint': s.joint.name() if s.joint is not None else None, 'pose': rnd(s.world)}
        if e.proto:
            d['proto'] = e.proto
        if not s.pose_known:
            d['pose_known'] = False   # sits in a field of a PROTO that could not be expanded
        ph = e.v.get('physics')
        if isinstance(ph, E):
            if ph.opaque:
                d['physics'] = {'opaque': True}
            else:
                d['physics'] = {k: rnd(ph.v.get(k)) for k in ('density', 'mass', 'centerOfMass', 'inertiaMatrix')}
        else:
            d['physics'] = None
        d['visuals'] = s.visuals
        d['collisions'] = s.collisions
        if s.type == 'Robot':
            for k in ('controller', 'controllerArgs', 'selfCollision', 'supervisor', 'synchronization'):
                d[k] = e.v.get(k)
        elif s.type in w.sets['device']:
            d['fields'] = {k: rnd(v) for k, v in e.v.items() if k in e.given and not isinstance(v, (E,)) and k not in ('children', 'boundingObject', 'physics', 'translation', 'rotation') and not (isinstance(v, list) and any(isinstance(x, E) for x in v))}
        return d

    def joint(j):
        d = {'name': j.name(), 'type': j.type, 'def': j.e.def_name, 'line': j.e.where[1], 'parent': j.parent.path if j.parent else None,
             'child': j.child.path if j.child else getattr(j, 'reference', None)}
        if j.anchor is not None:
            d['anchor_world'] = rnd(apply_pt(j.frame, j.anchor))
        elif j.child is not None:
            d['anchor_world'] = rnd([j.child.world[i][3] for i in range(3)])
        p = j.e.v.get('jointParameters')
        dofs = []
        for x in j.dofs:
            y = {'axis_world': rnd(unit(apply_dir(j.frame, x.axis))), 'position': rnd(float(x.position))}
            if x.motor is not None:
                m = x.motor.v
                y.update({'motor': m.get('name'), 'motor_type': x.motor.type, 'min_position': rnd(m.get('minPosition')), 'max_position': rnd(m.get('maxPosition')),
                          'max_velocity': rnd(m.get('maxVelocity')), 'multiplier': rnd(m.get('multiplier')), 'acceleration': rnd(m.get('acceleration')),
                          'controlPID': rnd(m.get('controlPID'))})
                y['max_torque' if x.motor.type == 'RotationalMotor' else 'max_force'] = rnd(m.get('maxTorque', m.get('maxForce')))
            if x.sensor is not None:
                y['sensor'] = x.sensor.v.get('name')
            if x.brake is not None:
                y['brake'] = x.brake.v.get('name')
            if x.params is not None:
                for k, o in (('minStop', 'min_stop'), ('maxStop', 'max_stop'), ('springConstant', 'spring'), ('dampingConstant', 'damping'), ('staticFriction', 'friction')):
                    if x.params.v.get(k):
                        y[o] = rnd(x.params.v[k])
            dofs.append(y)
        if dofs:   # the first axis is repeated at the top for one-degree-of-freedom joints
            for k in ('axis_world', 'min_position', 'max_position', 'max_velocity', 'max_torque', 'max_force', 'motor', 'sensor'):
                if k in dofs[0]:
                    d[k] = dofs[0][k]
        d['dofs'] = dofs
        return d

    return {'file': f.path, 'version': f.version_text, 'proto': f.proto_name, 'robot': next((s.name for s in w.solids if s.type == 'Robot'), None),
            'solids': [solid(s) for s in w.solids], 'joints': [joint(j) for j in w.joints],
            'opaque_protos': sorted(set(o.type for o in w.opaque))}


def dump(doc):
    """JSON with rows of numbers on one line"""
    txt = json.dumps(doc, indent=1)
    txt = re.sub(r'\[\s+((?:-?[\d.]+(?:[eE][+-]?\d+)?,?\s+)+)\]', lambda m: '[' + ' '.join(m.group(1).split()) + ']', txt)
    print(txt)


def main(argv=None):
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('file')
    ap.add_argument('--tree', action='store_true')
    ap.add_argument('--fk')
    ap.add_argument('--shapes', action='store_true', help='like --tree, only solids with their visuals and collisions')
    ap.add_argument('--initial', action='store_true', help="joints not in --fk (all joints with --tree) stay at their stored 'position' instead of 0")
    ap.add_argument('--strict', action='store_true', help='warnings make the exit status 1 too')
    ap.add_argument('--no-files', action='store_true', help='do not look for meshes, textures and local EXTERNPROTO files')
    ap.add_argument('--json', action='store_true', help='problems as JSON')
    ap.add_argument('--quiet', action='store_true', help='no notes and no summary')
    ap.add_argument('--nodes', default=os.path.join(HERE, 'webots_nodes.json'))
    a = ap.parse_args(argv)
    try:
        table = json.load(open(a.nodes))
    except (OSError, ValueError) as e:
        print('cannot read node table: %s' % e, file=sys.stderr)
        return 2
    if not os.path.isfile(a.file):
        print('no such file: %s' % a.file, file=sys.stderr)
        return 2
    if not a.file.lower().endswith(('.proto', '.wbt', '.wbo')):
        print('%s is neither a .proto nor a .wbt file' % a.file, file=sys.stderr)
        return 2
    p = Problems()
    c = Checker(table, p, not a.no_files)
    path = os.path.abspath(a.file)
    w = None
    f = None
    try:
        f = c.load(path)
        if f.template:
            print('%s: template PROTO (%%< >%%), not checked' % a.file, file=sys.stderr)
            return 3
        c.check_file(f)
        for g in list(c.cache.values()):
            if g is not f and not g.template and not hasattr(g, 'extern'):
                c.check_file(g)
        ev = Evaluator(c)
        values = {}
        if a.fk:
            try:
                values = json.load(open(a.fk)) if a.fk != '-' else json.load(sys.stdin)
                assert isinstance(values, dict)
            except (OSError, ValueError, AssertionError) as e:
                print('cannot read joint values: %s' % e, file=sys.stderr)
                return 2
        w = Walker(c, f, values, a.initial)
        roots = [ev.proto_root(f)] if f.is_proto else ev.world(f)
        w.run([r for r in roots if r is not None], f.is_proto)
        if not f.is_proto and path.lower().endswith('.wbt'):
            types = [r.type for r in roots if r is not None]
            for t in ('WorldInfo', 'Viewpoint'):
                if types.count(t) == 0:
                    p.warning((path, 1), 'the world has no %s node' % t)
                elif types.count(t) > 1:
                    p.error((path, [r for r in roots if r.type == t][1].where[1]), 'the world has more than one %s node' % t)
            if types and types[0] != 'WorldInfo' and 'WorldInfo' in types:
                p.warning((path, roots[0].where[1]), 'WorldInfo should be the first node')
            if types.count('Background') > 1:
                p.error((path, 1), 'the world has more than one Background node')
        for ex in set(o.type for o in c.opaque):
            p.note((path, 1), 'PROTO %s is remote, templated or missing: its content is not checked' % ex)
    except Fatal as e:
        p.error((path if f is None else f.path, e.line), 'syntax error: ' + e.text)
    except RecursionError:
        p.error((path, 0), 'nesting too deep (PROTO referring to itself?)')
    errors, warnings = p.count('error'), p.count('warning')
    order = sorted(p.items, key=lambda i: (i[1] != path, i[1], i[2]))
    modes = a.tree or a.fk or a.shapes
    out = sys.stderr if modes else sys.stdout
    if a.json and not modes:
        json.dump({'file': path, 'errors': errors, 'warnings': warnings, 'problems': [{'level': l, 'file': q, 'line': n, 'text': t} for l, q, n, t in order]}, sys.stdout, indent=1)
        print()
    else:
        for l, q, n, t in order:
            if l == 'note' and (a.quiet or modes):
                continue
            print('%s:%d: %s: %s' % (os.path.relpath(q) if len(os.path.relpath(q)) < len(q) else q, n, l, t), file=out)
        if not a.quiet and not modes:
            print('%s: %d error(s), %d warning(s); %d nodes, %d urls, %d solids, %d joints' % (a.file, errors, warnings, c.stats['nodes'], c.stats['urls'], len(w.solids) if w else 0, len(w.joints) if w else 0), file=out)
    if modes:
        if w is None:
            return 1
        if a.tree or a.shapes:
            doc = tree_json(w, f)
            if a.shapes:
                doc = {'file': doc['file'], 'solids': [{k: s[k] for k in ('name', 'path', 'pose', 'visuals', 'collisions')} for s in doc['solids']]}
            dump(doc)
        else:
            unknown = sorted(set(values) - w.used_values)
            solids = {}
            dup = set()
            for s in w.solids:
                k = s.name if s.name not in solids else s.path
                if s.name in solids:
                    dup.add(s.name)
                solids[k] = rnd(s.world)
            dump({'file': f.path, 'solids': solids, 'paths': {s.path: rnd(s.world) for s in w.solids}, 'duplicate_names': sorted(dup), 'unknown_joints': unknown})
            if unknown:
                print('joint values for unknown joints: %s' % ', '.join(unknown), file=sys.stderr)
                return 2
    return 1 if errors or (a.strict and warnings) else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
