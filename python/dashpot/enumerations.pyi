# Written by make_stubs.py.
from enum import IntEnum

class Status(IntEnum):
    OK = 0
    ERROR_ARGUMENT = 1
    ERROR_PARSE = 2
    ERROR_UNSUPPORTED = 3
    ERROR_IO = 4
    ERROR_MEMORY = 5
    ERROR_CAPACITY = 6
    ERROR_NUMERIC = 7
    ERROR_CALLBACK = 8
    ERROR_INTERRUPTED = 9

class MeshContact(IntEnum):
    AUTO = 0
    HULL = 1
    TRIANGLES = 2

class ContactReduction(IntEnum):
    NONE = 0
    DEEPEST = 1
    STRONGEST = 2
    SUM = 3

class Outcome(IntEnum):
    CONVERGED = 0
    CAPPED = 1
    CONTRADICTORY = 2
    INFEASIBLE = 3
    WEAKLY_INFEASIBLE = 4

class NormalKind(IntEnum):
    SPRING = 0
    HUNT_CROSSLEY = 1
    HERTZ = 2

class ContactState(IntEnum):
    OPEN = 0
    STICK = 1
    SLIP = 2

class RowSource(IntEnum):
    EQUALITY = 0
    JOINT_LIMIT = 1
    TENDON_LIMIT = 2
    TENDON_SPRING = 3
    JOINT_FRICTION = 4
    TENDON_FRICTION = 5
    DRIVE = 6
    USER_ROW = 7
    MOTION = 8
    FOUNDATION = 9
    CONTACT = 10

class RowState(IntEnum):
    OPEN = 0
    ACTIVE = 1
    AT_LO = 2
    AT_HI = 3
    STICK = 4
    SLIP = 5

class LcpOutcome(IntEnum):
    SOLVED = 0
    RAY = 1
    CAPPED = 2
    INACCURATE = 3
    CONTRADICTORY = 4

class LcpMethod(IntEnum):
    AUTOMATIC = 0
    LEMKE = 1
    PIVOTING = 2

class FcOutcome(IntEnum):
    SOLVED = 0
    CAPPED = 1
    INFEASIBLE = 2

class FcMethod(IntEnum):
    AUTOMATIC = 0
    NEWTON = 1
    CONE = 2

class ReactionBound(IntEnum):
    FREE = 0
    PUSHES = 1
    LIMITED = 2
    FRICTION = 3
    FOLLOWS = 4

class ImportVerdict(IntEnum):
    USED = 0
    APPROXIMATED = 1
    IGNORED = 2
    REFUSED = 3

class QueryOutcome(IntEnum):
    EXACT = 0
    BEYOND = 1
    CAPPED = 2

class JointKind(IntEnum):
    FREE = 0
    BALL = 1
    HINGE = 2
    SLIDE = 3

class GeomKind(IntEnum):
    PLANE = 0
    SPHERE = 1
    CAPSULE = 2
    CYLINDER = 3
    ELLIPSOID = 4
    BOX = 5
    MESH = 6
    HFIELD = 7

class Transmission(IntEnum):
    JOINT = 0
    TENDON = 1
    SITE = 2

class SensorKind(IntEnum):
    ACCELEROMETER = 0
    VELOCIMETER = 1
    GYRO = 2
    FORCE = 3
    TORQUE = 4
    MAGNETOMETER = 5
    TOUCH = 6
    JOINTPOS = 7
    JOINTVEL = 8
    BALLQUAT = 9
    BALLANGVEL = 10
    ACTUATORPOS = 11
    ACTUATORVEL = 12
    ACTUATORFRC = 13
    JOINTACTUATORFRC = 14
    FRAMEPOS = 15
    FRAMEQUAT = 16
    FRAMEXAXIS = 17
    FRAMEYAXIS = 18
    FRAMEZAXIS = 19
    FRAMELINVEL = 20
    FRAMEANGVEL = 21
    FRAMELINACC = 22
    FRAMEANGACC = 23
    SUBTREECOM = 24
    SUBTREELINVEL = 25
    SUBTREEANGMOM = 26
    TENDONPOS = 27
    TENDONVEL = 28
    TENDONACTUATORFRC = 29
    JOINTLIMITPOS = 30
    JOINTLIMITVEL = 31
    JOINTLIMITFRC = 32
    TENDONLIMITPOS = 33
    TENDONLIMITVEL = 34
    TENDONLIMITFRC = 35
    CLOCK = 36
    E_POTENTIAL = 37
    E_KINETIC = 38
    RANGEFINDER = 39
    DISTANCE = 40
    NORMAL = 41
    FROMTO = 42
    CONTACT = 43
    INSIDESITE = 44
    USER = 45

class MeshInertia(IntEnum):
    CONVEX = 0
    EXACT = 1
    SHELL = 2
    LEGACY = 3

class EqualityKind(IntEnum):
    CONNECT = 0
    WELD = 1
    JOINT = 2
    TENDON = 3
    DISTANCE = 4
    PLANE = 5

class BoxFace(IntEnum):
    MINUS_Z = 0
    PLUS_Z = 1
    MINUS_Y = 2
    PLUS_Y = 3
    MINUS_X = 4
    PLUS_X = 5

class InertiaSource(IntEnum):
    GEOMS = 0
    GIVEN = 1

class ActuatorDynamics(IntEnum):
    NONE = 0
    INTEGRATOR = 1
    FILTER = 2
    FILTER_EXACT = 3

class ObjectKind(IntEnum):
    NONE = 0
    BODY = 1
    INERTIAL = 2
    JOINT = 3
    GEOM = 4
    SITE = 5
    ACTUATOR = 6
    TENDON = 7
    SUBTREE = 8

class WrapKind(IntEnum):
    JOINT = 0
    SITE = 1
    GEOM = 2
    PULLEY = 3

class Stabilisation(IntEnum):
    GAP = 0
    PROJECTION = 1

class RigidWeights(IntEnum):
    STIFFNESS = 0
    EQUAL = 1

class ImpactRule(IntEnum):
    EXPEDIENT = 0
    POISSON = 1
    NEWTON = 2

class PolyhedralMethod(IntEnum):
    AUTOMATIC = 0
    LEMKE = 1
    MAP = 2

class ViFriction(IntEnum):
    CONE = 0
    DISC = 1

class LawKind(IntEnum):
    COMPLIANT = 0
    LCP = 1
    NCP = 2
    VI = 3
    TAMSI = 4

class Integrator(IntEnum):
    SEMI_IMPLICIT = 0
    RK4 = 1
    RK45 = 2
    IMPLICIT_EULER = 3
    CVODE = 4
