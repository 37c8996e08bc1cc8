// Bad MJCF files: each is refused with a status and a message that says where, what was found and
// what was expected. The file is called a.xml; the line is part of the claim.
#include "bad_file.h"
#include "near.h"
#include "text_file.h"

#include <dashpot/format.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// In a body that is complete otherwise
#define IN_BODY(content)                                                                           \
    "<mujoco>\n<worldbody><body name='b'>\n" content "\n</body></worldbody></mujoco>"
#define WITH_HINGE(content)                                                                        \
    "<mujoco><worldbody><body><joint name='h'/><geom size='1'/></body></worldbody>\n" content      \
    "</mujoco>"
#define OWN_EQUALITY(what)                                                                         \
    "<mujoco xmlns:dp='dashpot'><worldbody><body name='b'><joint name='h'/><geom size='1'/>"       \
    "</body></worldbody><equality>" what "</equality></mujoco>"
#define WITH_MESH(content)                                                                         \
    "<mujoco><asset>\n" content                                                                    \
    "</asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>"
#define CORNERS "vertex='0 0 0 1 0 0 0 1 0 0 0 1'"

static const bad_file bad[] = {
    // XML
    {DP_ERROR_PARSE, "", "a.xml:1: found no element (expected an XML file)"},
    {DP_ERROR_PARSE, "hello", "a.xml:1: found syntax error in column 1 (expected well-formed XML)"},
    {DP_ERROR_PARSE, "<mujoco>\n<worldbody>\n</mujoco>", "a.xml:3: found mismatched tag in column"},
    {DP_ERROR_PARSE, "<mujoco><option timestep='1' timestep='2'/></mujoco>",
     "a.xml:1: found duplicate attribute"},
    {DP_ERROR_PARSE, "<!DOCTYPE m [<!ENTITY a 'b'>]>\n<mujoco/>",
     "a.xml:1: found a document type with declarations of its own (expected none"},
    {DP_ERROR_PARSE, "<mujoco><dp:option step='1'/></mujoco>",
     "a.xml:1: found a name with a prefix that is not declared (expected xmlns:dp=\"dashpot\""},
    // Names
    {DP_ERROR_PARSE, "<robot name='r'/>", "a.xml:1: found <robot> (expected <mujoco>"},
    {DP_ERROR_PARSE, "<mujoco>\n<wordbody/></mujoco>",
     "a.xml:2: unknown element <wordbody> in <mujoco> (did you mean <worldbody>?)"},
    {DP_ERROR_PARSE, IN_BODY("<xyzzy/>"),
     "a.xml:3: unknown element <xyzzy> in <body> (expected include, body, frame,"},
    {DP_ERROR_PARSE, IN_BODY("<joint dampng='1'/>"),
     "a.xml:3: unknown attribute 'dampng' of <joint> (did you mean 'damping'?)"},
    {DP_ERROR_PARSE, IN_BODY("<freejoint colour='1'/>"),
     "a.xml:3: unknown attribute 'colour' of <freejoint> (expected name, group, align)"},
    {DP_ERROR_PARSE, "<mujoco><default><joint name='j'/></default></mujoco>",
     "a.xml:1: unknown attribute 'name' of <joint>"},
    {DP_ERROR_PARSE, "<mujoco xmlns:dp='dashpot'>\n<dp:optoin/></mujoco>",
     "a.xml:2: unknown element <dp:optoin> in <mujoco> (did you mean <dp:option>?)"},
    {DP_ERROR_PARSE, "<mujoco xmlns:dp='dashpot'><dp:option stp='1'/></mujoco>",
     "a.xml:1: unknown attribute 'stp' of <dp:option> (did you mean 'step'?)"},
    {DP_ERROR_PARSE, IN_BODY("<geom size='1'><joint/></geom>"),
     "a.xml:3: unknown element <joint> in <geom>"},
    // Values
    {DP_ERROR_PARSE, IN_BODY("<joint type='hing'/>"),
     "a.xml:3: joint: found type 'hing' (expected free, ball, slide or hinge)"},
    {DP_ERROR_PARSE, IN_BODY("<joint name='j' limited='yes'/>"),
     "a.xml:3: joint 'j': found limited 'yes' (expected false, true or auto)"},
    {DP_ERROR_PARSE, IN_BODY("<joint damping='soft'/>"),
     "a.xml:3: joint: found 'soft' in damping (expected a number)"},
    {DP_ERROR_PARSE, IN_BODY("<joint damping='1,5'/>"),
     "a.xml:3: joint: found '1,5' in damping (expected a number)"},
    {DP_ERROR_PARSE, IN_BODY("<joint armature='0x10'/>"),
     "a.xml:3: joint: found '0x10' in armature (expected a number)"},
    {DP_ERROR_PARSE, IN_BODY("<joint armature='nan'/>"),
     "a.xml:3: joint: found 'nan' in armature (expected a finite number)"},
    {DP_ERROR_PARSE, IN_BODY("<joint armature='1e999'/>"),
     "a.xml:3: joint: found '1e999' in armature (expected a finite number)"},
    {DP_ERROR_PARSE, IN_BODY("<joint axis='1 0'/>"),
     "a.xml:3: joint: found 2 numbers in axis (expected 3)"},
    {DP_ERROR_PARSE, IN_BODY("<geom size='1 2 3 4'/>"),
     "a.xml:3: geom: found 4 numbers in size (expected 1 to 3)"},
    {DP_ERROR_PARSE, IN_BODY("<joint armature='1 2'/>"),
     "a.xml:3: joint: found 2 numbers in armature (expected 1)"},
    {DP_ERROR_PARSE, IN_BODY("<geom size='1' group='1.5'/>"),
     "a.xml:3: geom: found 1.5 in group (expected whole numbers)"},
    {DP_ERROR_PARSE, IN_BODY("<geom size='1' contype='3000000000'/>"),
     "a.xml:3: geom: found 3e+09 in contype (expected whole numbers)"},
    {DP_ERROR_PARSE, "<mujoco><visual><map znear='near'/></visual></mujoco>",
     "a.xml:1: map: found 'near' in znear (expected a number)"}, // also in what is ignored
    // Settings
    {DP_ERROR_PARSE, "<mujoco><option timestep='0'/></mujoco>",
     "a.xml:1: option: found timestep 0 (expected a positive time)"},
    {DP_ERROR_PARSE, "<mujoco xmlns:dp='dashpot'><dp:option relative_tolerance='-1'/></mujoco>",
     "a.xml:1: dp:option: relative_tolerance: '-1' is not a positive number"},
    {DP_ERROR_PARSE, "<mujoco><compiler eulerseq='xyw'/></mujoco>",
     "a.xml:1: compiler: found eulerseq 'xyw' (expected three of x, y, z, X, Y, Z"},
    {DP_ERROR_PARSE, "<mujoco><compiler boundmass='-1'/></mujoco>",
     "a.xml:1: compiler: found a negative bound"},
    // Orientations
    {DP_ERROR_PARSE, IN_BODY("<geom size='1' quat='1 0 0 0' euler='0 0 0'/>"),
     "a.xml:3: geom: found both quat and euler (expected one orientation)"},
    {DP_ERROR_PARSE, IN_BODY("<geom size='1' quat='0 0 0 0'/>"),
     "a.xml:3: geom: found quat of length 0 (expected a unit quaternion)"},
    {DP_ERROR_PARSE, IN_BODY("<site type='plane'/>"),
     "a.xml:3: site: found a site that is a plane (expected a sphere, capsule, ellipsoid, "
     "cylinder or box)"},
    {DP_ERROR_PARSE, IN_BODY("<site type='capsule' size='1 0'/>"),
     "a.xml:3: site: found size 0 (expected a positive length)"},
    {DP_ERROR_PARSE, IN_BODY("<site axisangle='0 0 0 90'/>"),
     "a.xml:3: site: found axisangle of length 0 (expected a direction)"},
    {DP_ERROR_PARSE, IN_BODY("<site xyaxes='1 0 0 2 0 0'/>"),
     "a.xml:3: site: found the part of the second of xyaxes across the first of length 0"},
    {DP_ERROR_PARSE,
     "<mujoco><worldbody>\n<body euler='0 0 0' zaxis='0 0 1'/></worldbody></mujoco>",
     "a.xml:2: body: found both euler and zaxis (expected one orientation)"},
    // Classes
    {DP_ERROR_PARSE, IN_BODY("<joint class='fast'/>"),
     "a.xml:3: joint: found class 'fast' (expected a class that a <default> defines)"},
    {DP_ERROR_PARSE, IN_BODY("<frame childclass='x'/>"),
     "a.xml:3: frame: found childclass 'x' (expected a class"},
    {DP_ERROR_PARSE, "<mujoco><default>\n<default/></default></mujoco>",
     "a.xml:2: default: found no class (expected a name for a nested default)"},
    {DP_ERROR_PARSE,
     "<mujoco><default><default class='a'/>\n<default class='a'/></default></mujoco>",
     "a.xml:2: default: found class 'a' a second time (expected a new name)"},
    // Bodies
    {DP_ERROR_PARSE, "<mujoco><worldbody><body name='a'/>\n<body name='a'/></worldbody></mujoco>",
     "a.xml:2: body 'a' is already defined at a.xml:1"},
    {DP_ERROR_PARSE, "<mujoco><worldbody>\n<joint/></worldbody></mujoco>",
     "a.xml:2: unknown element <joint> in <worldbody>"},
    {DP_ERROR_PARSE, "<mujoco><worldbody><frame>\n<freejoint/></frame></worldbody></mujoco>",
     "a.xml:2: freejoint: found in the world (expected it in a body)"},
    {DP_ERROR_PARSE, "<mujoco><worldbody pos='1 2 3'/></mujoco>",
     "a.xml:1: unknown attribute 'pos' of <worldbody> (expected none)"},
    {DP_ERROR_PARSE,
     "<mujoco><compiler autolimits='false'/><worldbody><body>\n<joint range='-1 "
     "1'/></body></worldbody></mujoco>",
     "a.xml:2: joint: found range without limited (expected limited=\"true\" or \"false\""},
    {DP_ERROR_PARSE, IN_BODY("<inertial pos='0 0 0'/>"),
     "a.xml:3: inertial: found no mass (expected mass=\"…\")"},
    {DP_ERROR_PARSE,
     IN_BODY(
         "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>\n<inertial pos='0 0 0' mass='1'/>"),
     "a.xml:4: inertial: found a second one in the same body (expected one)"},
    {DP_ERROR_PARSE,
     IN_BODY("<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' quat='1 0 0 0'/>"),
     "a.xml:3: inertial: found both fullinertia and quat"},
    {DP_ERROR_PARSE,
     IN_BODY("<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' diaginertia='1 1 1'/>"),
     "a.xml:3: inertial: found both diaginertia and fullinertia (expected one of them)"},
    {DP_ERROR_PARSE, IN_BODY("<replicate count='0'/>"),
     "a.xml:3: replicate: found count 0 (expected 1 or more)"},
    {DP_ERROR_PARSE, IN_BODY("<replicate count='2000000000'/>"), // of nothing, but each has a frame
     "a.xml:3: replicate: found count 2000000000 (expected at most 300000)"},
    {DP_ERROR_PARSE,
     IN_BODY("<replicate count='100000'><replicate count='100000'><site/></replicate></replicate>"),
     "(expected fewer)"},
    // Geoms
    {DP_ERROR_PARSE, IN_BODY("<geom type='box' name='g' size='1 2'/>"),
     "a.xml:3: geom 'g': found 2 numbers in size (a box needs 3)"},
    {DP_ERROR_PARSE, IN_BODY("<geom type='capsule'/>"),
     "a.xml:3: geom: found 0 numbers in size (a capsule needs 2)"},
    {DP_ERROR_PARSE, IN_BODY("<geom size='-1'/>"),
     "a.xml:3: geom: found size -1 (expected a positive length)"},
    {DP_ERROR_PARSE, IN_BODY("<geom size='1' mass='-2'/>"),
     "a.xml:3: geom: found mass -2 (expected 0 or more)"},
    {DP_ERROR_PARSE, IN_BODY("<geom size='1' fromto='0 0 0 1 1 1'/>"),
     "a.xml:3: geom: found fromto with a sphere (expected a capsule, cylinder, ellipsoid or box)"},
    {DP_ERROR_PARSE, IN_BODY("<geom type='capsule' size='1' fromto='1 1 1 1 1 1'/>"),
     "a.xml:3: geom: found fromto of length 0 (expected a direction)"},
    {DP_ERROR_PARSE, IN_BODY("<geom type='capsule' size='1' pos='1 0 0' fromto='0 0 0 1 1 1'/>"),
     "a.xml:3: geom: found both pos and fromto (expected one of them)"},
    // Assets
    {DP_ERROR_PARSE, IN_BODY("<geom type='mesh' mesh='m'/>"), "a.xml:3: no mesh 'm'"},
    {DP_ERROR_PARSE, IN_BODY("<geom type='mesh'/>"),
     "a.xml:3: geom: found no mesh (expected mesh=\"…\")"},
    {DP_ERROR_PARSE, IN_BODY("<geom type='hfield' hfield='m'/>"), "a.xml:3: no hfield 'm'"},
    {DP_ERROR_PARSE, WITH_MESH("<mesh name='m'/>"),
     "a.xml:2: mesh 'm': found neither file nor vertex (expected one of them)"},
    {DP_ERROR_PARSE, WITH_MESH("<mesh name='m' vertex='1 2 3' file='f.stl'/>"),
     "a.xml:2: mesh 'm': found both file and vertex (expected one of them)"},
    {DP_ERROR_PARSE, WITH_MESH("<mesh name='m' vertex='1 2 3 4 5 6'/>"),
     "a.xml:2: mesh 'm': found 6 numbers in vertex (expected three for each of four or more)"},
    {DP_ERROR_PARSE, WITH_MESH("<mesh name='m' " CORNERS " face='0 1 2 3'/>"),
     "a.xml:2: mesh 'm': found 4 numbers in face (expected three for each)"},
    {DP_ERROR_PARSE, WITH_MESH("<mesh name='m' " CORNERS " face='0 1 4'/>"),
     "a.xml:2: mesh 'm': found vertex 4 in face (expected 0 to 3)"},
    {DP_ERROR_PARSE, WITH_MESH("<mesh name='m' " CORNERS "/><mesh file='a/m.obj'/>"),
     "a.xml:2: mesh: found 'm' a second time, after a.xml:2 (expected a new name)"},
    {DP_ERROR_PARSE,
     "<mujoco><asset><hfield name='t' nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3'/>"
     "</asset></mujoco>",
     "hfield 't': found 3 numbers in elevation (expected 2 × 2)"},
    {DP_ERROR_PARSE, IN_BODY("<attach model='m' prefix='p'/>"),
     "a.xml:3: attach: found model 'm' (expected a <model> of <asset>)"},
    {DP_ERROR_IO,
     "<mujoco><asset>\n<model name='m' file='none.xml'/></asset><worldbody><attach model='m' "
     "prefix='p'/></worldbody></mujoco>",
     "a.xml:2: model: found no file 'none.xml'"},
    // Tendons and equalities
    {DP_ERROR_PARSE, WITH_HINGE("<tendon><fixed><joint joint='h'/></fixed></tendon>"),
     "a.xml:2: joint: found no coef (expected coef=\"…\")"},
    {DP_ERROR_PARSE, WITH_HINGE("<tendon><fixed><site site='h'/></fixed></tendon>"),
     "a.xml:2: unknown element <site> in <fixed>"},
    {DP_ERROR_PARSE, WITH_HINGE("<equality><connect body1='b'/></equality>"),
     "a.xml:2: connect: found no anchor (expected anchor=\"x y z\" in body1)"},
    {DP_ERROR_PARSE, WITH_HINGE("<equality><weld body2='b'/></equality>"),
     "a.xml:2: weld: found neither body1 nor sites"},
    {DP_ERROR_PARSE, WITH_HINGE("<equality><weld site1='b'/></equality>"),
     "a.xml:2: weld: found one site (expected site1 and site2)"},
    {DP_ERROR_PARSE, WITH_HINGE("<equality><weld site1='b' site2='c' body1='d'/></equality>"),
     "a.xml:2: weld: found sites and body1 (expected sites alone, or bodies)"},
    {DP_ERROR_PARSE, IN_BODY("<joint springdamper='1 0'/>"),
     "a.xml:3: joint: found springdamper 1 0 (expected a time constant and a damping ratio"},
    {DP_ERROR_PARSE, IN_BODY("<joint actuatorfrclimited='true'/>"),
     "a.xml:3: joint: found actuatorfrcrange 0 0 (expected the first number below the second)"},
    {DP_ERROR_PARSE, IN_BODY("<geom size='1' condim='2'/>"),
     "a.xml:3: geom: found condim 2 (expected 1, 3, 4 or 6)"},
    // Actuators, sensors, keyframes
    {DP_ERROR_PARSE, WITH_HINGE("<actuator><motor/></actuator>"),
     "a.xml:2: motor: found no transmission (expected joint, tendon or site=\"…\")"},
    {DP_ERROR_PARSE, WITH_HINGE("<actuator><motor joint='h' tendon='t'/></actuator>"),
     "a.xml:2: motor: found both joint and tendon (expected one of them)"},
    {DP_ERROR_PARSE, WITH_HINGE("<actuator><position joint='h' kv='-1'/></actuator>"),
     "a.xml:2: position: found kv -1 (expected 0 or more)"},
    {DP_ERROR_PARSE, WITH_HINGE("<actuator><position joint='h' inheritrange='1'/></actuator>"),
     "a.xml:2: position: found inheritrange, but joint 'h' has no range"},
    {DP_ERROR_PARSE, WITH_HINGE("<actuator><position joint='i' inheritrange='1'/></actuator>"),
     "a.xml:2: no joint 'i' ("},
    {DP_ERROR_PARSE, WITH_HINGE("<actuator><damper joint='h' ctrlrange='-1 1'/></actuator>"),
     "a.xml:2: damper: found a negative ctrlrange"},
    {DP_ERROR_PARSE, WITH_HINGE("<sensor><gyro/></sensor>"),
     "a.xml:2: gyro: found no site (expected site=\"…\")"},
    {DP_ERROR_PARSE, WITH_HINGE("<sensor><framepos objtype='tendon' objname='x'/></sensor>"),
     "a.xml:2: framepos: found objtype 'tendon' (expected body, xbody, geom, site or camera)"},
    {DP_ERROR_PARSE,
     WITH_HINGE("<sensor><framepos objtype='body' objname='x' refname='y'/></sensor>"),
     "a.xml:2: framepos: found reftype or refname alone (expected both or none)"},
    {DP_ERROR_PARSE, WITH_HINGE("<sensor><clock cutoff='-1'/></sensor>"),
     "a.xml:2: clock: found cutoff -1 (expected 0 or more)"},
    {DP_ERROR_PARSE, WITH_HINGE("<keyframe><key qpos='1 2 x'/></keyframe>"),
     "a.xml:2: key: found 'x' in qpos (expected a number)"},
    // Includes
    {DP_ERROR_IO, "<mujoco>\n<include file='no/such/file.xml'/></mujoco>",
     "a.xml:2: include: found no file 'no/such/file.xml'"},
    {DP_ERROR_PARSE, "<mujoco><include/></mujoco>",
     "a.xml:1: include: found no file (expected file=\"…\")"},
    {DP_ERROR_PARSE, "<mujoco><include file='x.xml'><body/></include></mujoco>",
     "a.xml:1: include: found <body> inside (expected nothing inside <include>)"},
    // Meaningful, and not simulated: the feature's name is in the message
    {DP_ERROR_UNSUPPORTED, "<mujoco><option collision='predefined'/></mujoco>",
     "a.xml:1: option has collision: geoms touch by masks and by pairs, both (to go on "
     "without: allow \"collision\")"},
    {DP_ERROR_UNSUPPORTED,
     "<mujoco><compiler coordinate='global'/><worldbody><body/></worldbody></mujoco>",
     "to go on without: allow \"coordinate\""},
    {DP_ERROR_UNSUPPORTED, "<mujoco><body/></mujoco>", "to go on without: allow \"fragment\""},
    {DP_ERROR_UNSUPPORTED, IN_BODY("<joint springyield='1'/>"), "allow \"springyield\""},
    {DP_ERROR_UNSUPPORTED, IN_BODY("<frame scale='2'/>"), "allow \"framescale\""},
    {DP_ERROR_UNSUPPORTED, "<mujoco><compiler alignfree='true'/></mujoco>", "allow \"alignfree\""},
    {DP_ERROR_UNSUPPORTED, IN_BODY("<freejoint align='true'/>"), "allow \"alignfree\""},
    {DP_ERROR_UNSUPPORTED, IN_BODY("<joint stiffness='1 2'/>"), "allow \"polynomial\""},
    {DP_ERROR_UNSUPPORTED, IN_BODY("<joint actuatorfrcrange='-1 1' actuatorgravcomp='true'/>"),
     "a.xml:3: joint has actuatorgravcomp: gravity compensation within the force range"},
    {DP_ERROR_UNSUPPORTED,
     "<mujoco><worldbody><body>\n<joint name='h' actuatorfrcrange='-1 1'/><geom size='1'/></body>"
     "</worldbody><actuator><motor joint='h'/><motor joint='h'/></actuator></mujoco>",
     "a.xml:2: joint 'h' has actuatorfrcrange: limiting the sum of several actuators' forces"},
    {DP_ERROR_UNSUPPORTED, IN_BODY("<geom size='1' adhesion='1'/>"), "allow \"adhesion\""},
    {DP_ERROR_UNSUPPORTED, WITH_MESH("<mesh name='m' file='none.stl'/>"),
     "its mesh (a.xml:2): found no file 'none.stl' (looked in '/"},
    {DP_ERROR_UNSUPPORTED, WITH_MESH("<mesh name='m' file='none.stl'/>"),
     "'; meshdir or assetdir of <compiler> names the folder) (to go on without: allow \"mesh\")"},
    {DP_ERROR_UNSUPPORTED, WITH_MESH("<mesh name='m' file='m.stl' content_type='model/gltf'/>"),
     "allow \"mesh\""},
    {DP_ERROR_UNSUPPORTED, WITH_MESH("<mesh name='m' builtin='sphere'/>"),
     "shapes made by MuJoCo or its plugins are not known"},
    {DP_ERROR_UNSUPPORTED,
     "<mujoco><asset><hfield name='t' file='none.png' size='1 1 1 1'/></asset>"
     "<worldbody><geom type='hfield' hfield='t'/></worldbody></mujoco>",
     "allow \"hfield\""},
    {DP_ERROR_UNSUPPORTED, IN_BODY("<composite type='cable' count='3 1 1'/>"),
     "allow \"composite\""},
    {DP_ERROR_UNSUPPORTED, IN_BODY("<flexcomp name='f' type='grid'/>"), "allow \"flex\""},
    {DP_ERROR_UNSUPPORTED, IN_BODY("<attach body='b' prefix='p'/>"), "allow \"attach\""},
    {DP_ERROR_UNSUPPORTED, IN_BODY("<attach model='m' frame='f' prefix='p'/>"), "allow \"attach\""},
    {DP_ERROR_UNSUPPORTED, IN_BODY("<plugin plugin='p'/>"), "allow \"plugin\""},
    {DP_ERROR_UNSUPPORTED, WITH_HINGE("<equality><flex flex='f'/></equality>"), "allow \"flex\""},
    {DP_ERROR_UNSUPPORTED, WITH_HINGE("<equality><distance geom1='f'/></equality>"),
     "allow \"geom-distance\""},
    {DP_ERROR_UNSUPPORTED,
     WITH_HINGE("<tendon><fixed damping='1 1'><joint joint='h' coef='1'/></fixed></tendon>"),
     "allow \"polynomial\""},
    {DP_ERROR_UNSUPPORTED,
     WITH_HINGE(
         "<tendon><fixed actuatorfrcrange='0 1'><joint joint='h' coef='1'/></fixed></tendon>"),
     "a.xml:2: fixed has actuatorfrcrange: limiting the sum of actuator forces on a tendon"},
    {DP_ERROR_PARSE, WITH_HINGE("<actuator><adhesion body='b' ctrlrange='-1 1'/></actuator>"),
     "found a negative ctrlrange (expected 0 or more for adhesion)"},
    {DP_ERROR_UNSUPPORTED,
     WITH_HINGE("<actuator><motor cranksite='a' slidersite='b' cranklength='1'/></actuator>"),
     "allow \"slidercrank\""},
    {DP_ERROR_UNSUPPORTED, WITH_HINGE("<actuator><muscle joint='h'/></actuator>"),
     "allow \"muscle\""},
    {DP_ERROR_UNSUPPORTED, WITH_HINGE("<actuator><general joint='h' dyntype='user'/></actuator>"),
     "allow \"dyntype\""},
    {DP_ERROR_UNSUPPORTED,
     WITH_HINGE("<actuator><general joint='h' dyntype='integrator' actdim='2'/></actuator>"),
     "allow \"actdim\""},
    {DP_ERROR_PARSE, WITH_HINGE("<sensor><contact data='force found'/></sensor>"),
     "found data 'force found' (expected them in the order found force"},
    {DP_ERROR_PARSE, WITH_HINGE("<sensor><contact geom1='g' body1='b'/></sensor>"),
     "found body1 besides another object"},
    {DP_ERROR_PARSE, WITH_HINGE("<sensor><distance geom1='g'/></sensor>"),
     "found one object or none"},
    {DP_ERROR_UNSUPPORTED, WITH_HINGE("<sensor><rangefinder camera='c'/></sensor>"),
     "images of rangefinders"},
    {DP_ERROR_UNSUPPORTED, WITH_HINGE("<sensor><camprojection site='s'/></sensor>"),
     "allow \"sensor\""},
    {DP_ERROR_UNSUPPORTED, WITH_HINGE("<sensor><clock delay='0.1'/></sensor>"), "allow \"delay\""},
    // In our own namespace
    {DP_ERROR_PARSE, "<mujoco xmlns:dp='dashpot'><dp:option law='newton'/></mujoco>",
     "a.xml:1: dp:option: law 'newton' is unknown (expected compliant, lcp, ncp, vi, tamsi or "
     "ode)"},
    {DP_ERROR_PARSE, "<mujoco xmlns:dp='dashpot'><dp:option vi.friction='soft'/></mujoco>",
     "vi.friction: 'soft' is unknown (expected cone or disc)"},
    {DP_ERROR_PARSE, "<mujoco xmlns:dp='dashpot'><dp:option max_halvings='1.5'/></mujoco>",
     "max_halvings: '1.5' is not a whole number of 0 or more"},
    {DP_ERROR_PARSE, "<mujoco xmlns:dp='dashpot'><dp:option gravity='0 0'/></mujoco>",
     "gravity: '0 0' is not a vector (expected x,y,z)"},
    {DP_ERROR_PARSE, OWN_EQUALITY("<dp:distance site1='s'/>"),
     "found one site (expected site1 and site2)"},
    {DP_ERROR_PARSE, OWN_EQUALITY("<dp:distance/>"), "found neither body1 nor sites"},
    {DP_ERROR_PARSE, OWN_EQUALITY("<dp:distance body1='b' distance='0'/>"),
     "found distance 0 (expected a length above 0"},
    {DP_ERROR_PARSE, OWN_EQUALITY("<dp:distance site1='s' site2='t' anchor2='0 0 0'/>"),
     "found sites and anchor2 (expected sites alone, or bodies)"},
    {DP_ERROR_PARSE, OWN_EQUALITY("<dp:plane site1='s' site2='t' euler='0 0 0'/>"),
     "found sites and euler (expected sites alone, or bodies)"},
    {DP_ERROR_PARSE, OWN_EQUALITY("<dp:plane body1='b' dp:stiffness='0'/>"),
     "found dp:stiffness 0 (expected a number above 0)"},
    {DP_ERROR_PARSE, OWN_EQUALITY("<joint joint1='h' dp:stiffness='1' dp:damping='-1'/>"),
     "found dp:damping -1 (expected 0 or more)"},
    {DP_ERROR_PARSE, OWN_EQUALITY("<joint joint1='h' dp:damping='1'/>"),
     "found dp:damping without dp:stiffness"},
};

static dp_status try_load(dp_spec **spec, const char *text)
{
    *spec = (dp_spec *)1; // must be overwritten
    return dp_mjcf_parse(spec, NULL, text, strlen(text), "a.xml", NULL);
}

static void each_bad_file_is_refused_with_its_message(void **state)
{
    (void)state;
    assert_files_refused(dp_mjcf_parse, "a.xml", bad, sizeof bad / sizeof bad[0]);
}

// The surroundings of the cases are sound, so what is refused is what the case spoils.
static void the_surroundings_of_the_bad_cases_load(void **state)
{
    (void)state;
    static const char *const sound[] = {
        IN_BODY("<joint range='-1 1'/>"),
        IN_BODY("<geom size='1'/>"),
        WITH_HINGE(""),
        WITH_MESH("<mesh name='m' " CORNERS " face='0 1 2'/>"),
        WITH_HINGE("<tendon><fixed><joint joint='h' coef='1'/></fixed></tendon>"),
        WITH_HINGE("<equality><connect body1='b' anchor='0 0 0'/></equality>"),
        WITH_HINGE("<actuator><position joint='h' kv='1'/></actuator>"),
    };
    assert_files_load(dp_mjcf_parse, "a.xml", sound, sizeof sound / sizeof sound[0]);
}

static void a_missing_file_is_an_error_of_the_file_system(void **state)
{
    (void)state;
    dp_spec *spec;
    dp_import_report *report = (dp_import_report *)1;
    assert_int_equal(dp_mjcf_load(&spec, &report, DP_SCRATCH "/no_such_scene.xml", NULL),
                     DP_ERROR_IO);
    assert_null(spec);
    assert_null(report);
    assert_non_null(strstr(dp_last_error(), "no_such_scene.xml"));
}

// ---- includes that must not be followed

static void assert_load_fails(const char *file, dp_status expected, const char *message)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", DP_SCRATCH, file);
    dp_spec *spec;
    assert_int_equal(dp_mjcf_load(&spec, NULL, path, NULL), expected);
    if (!strstr(dp_last_error(), message)) {
        fail_msg("'%s' is not in '%s'", message, dp_last_error());
    }
}

static void an_include_cycle_is_refused(void **state)
{
    (void)state;
    mkdir(DP_SCRATCH "/bad_mjcf", 0777);
    write_text(DP_SCRATCH "/bad_mjcf/self.xml", "<mujoco>\n<include file='self.xml'/></mujoco>");
    assert_load_fails("bad_mjcf/self.xml", DP_ERROR_PARSE, "self.xml:2: include: found '");
    assert_non_null(strstr(dp_last_error(), "which includes itself (expected no cycle)"));
    write_text(DP_SCRATCH "/bad_mjcf/one.xml", "<mujoco><include file='two.xml'/></mujoco>");
    write_text(DP_SCRATCH "/bad_mjcf/two.xml", "<mujoco>\n\n<include file='./one.xml'/></mujoco>");
    assert_load_fails("bad_mjcf/one.xml", DP_ERROR_PARSE, "two.xml:3: include: found '");
    write_text(DP_SCRATCH "/bad_mjcf/twice.xml",
               "<mujoco><include file='leaf.xml'/><include file='leaf.xml'/></mujoco>");
    write_text(DP_SCRATCH "/bad_mjcf/leaf.xml", "<mujoco><option timestep='1'/></mujoco>");
    assert_load_fails("bad_mjcf/twice.xml", DP_ERROR_PARSE,
                      "a second time (expected each file at most once)");
}

static void an_include_does_not_leave_the_folder_of_the_scene(void **state)
{
    (void)state;
    mkdir(DP_SCRATCH "/bad_mjcf", 0777);
    mkdir(DP_SCRATCH "/bad_mjcf/scene", 0777);
    write_text(DP_SCRATCH "/bad_mjcf/secret.xml", "<mujoco><option timestep='1'/></mujoco>");
    write_text(DP_SCRATCH "/bad_mjcf/scene/up.xml",
               "<mujoco><include file='../secret.xml'/></mujoco>");
    assert_load_fails("bad_mjcf/scene/up.xml", DP_ERROR_PARSE,
                      "lies outside of the folder of the scene");
    write_text(DP_SCRATCH "/bad_mjcf/scene/root.xml",
               "<mujoco><include file='/etc/passwd'/></mujoco>");
    assert_load_fails("bad_mjcf/scene/root.xml", DP_ERROR_PARSE,
                      "lies outside of the folder of the scene");
    const char *link = DP_SCRATCH "/bad_mjcf/scene/link.xml"; // inside by name, outside in fact
    remove(link);
    assert_int_equal(symlink("../secret.xml", link), 0);
    write_text(DP_SCRATCH "/bad_mjcf/scene/by_link.xml",
               "<mujoco><include file='link.xml'/></mujoco>");
    assert_load_fails("bad_mjcf/scene/by_link.xml", DP_ERROR_PARSE,
                      "lies outside of the folder of the scene");

    // from memory, as if from a folder that does not exist: nothing is inside of it
    static const char text[] = "<mujoco><include file='/etc/passwd'/></mujoco>";
    dp_spec *none;
    assert_int_equal(
        dp_mjcf_parse(&none, NULL, text, sizeof text - 1, "no/such/folder/a.xml", NULL),
        DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "lies outside of the folder of the scene"));

    const dp_import_options outside = {.allow_outside = true};
    dp_spec *spec;
    assert_int_equal(dp_mjcf_load(&spec, NULL, DP_SCRATCH "/bad_mjcf/scene/up.xml", &outside),
                     DP_OK);
    assert_true(dp_spec_options(spec)->step == 1.0);
    dp_spec_destroy(spec);
}

static void errors_in_included_files_name_those_files(void **state)
{
    (void)state;
    mkdir(DP_SCRATCH "/bad_mjcf", 0777);
    write_text(DP_SCRATCH "/bad_mjcf/outer.xml", "<mujoco><include file='inner.xml'/></mujoco>");
    write_text(DP_SCRATCH "/bad_mjcf/inner.xml", "<mujoco>\n\n<optoin/></mujoco>");
    assert_load_fails("bad_mjcf/outer.xml", DP_ERROR_PARSE,
                      "inner.xml:3: unknown element <optoin>");
    write_text(DP_SCRATCH "/bad_mjcf/inner.xml", "<mujoco>\n<option");
    assert_load_fails("bad_mjcf/outer.xml", DP_ERROR_PARSE, "inner.xml:2: found unclosed token");
}

// ---- absurd sizes

static void classes_nested_absurdly_deep_are_refused(void **state)
{
    (void)state;
    enum { DEPTH = 20000 };
    char *text = malloc(64 * DEPTH), *at = text;
    assert_non_null(text);
    at += sprintf(at, "<mujoco>");
    for (int i = 0; i < DEPTH; ++i) {
        at += sprintf(at, "<default class='c%d'>", i);
    }
    for (int i = 0; i < DEPTH; ++i) {
        at += sprintf(at, "</default>");
    }
    sprintf(at, "</mujoco>");
    dp_spec *spec;
    assert_int_equal(try_load(&spec, text), DP_ERROR_PARSE);
    assert_non_null(strstr(dp_last_error(), "nested more than 200 deep"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bad_file_is_refused_with_its_message),
        cmocka_unit_test(the_surroundings_of_the_bad_cases_load),
        cmocka_unit_test(a_missing_file_is_an_error_of_the_file_system),
        cmocka_unit_test(an_include_cycle_is_refused),
        cmocka_unit_test(an_include_does_not_leave_the_folder_of_the_scene),
        cmocka_unit_test(errors_in_included_files_name_those_files),
        cmocka_unit_test(classes_nested_absurdly_deep_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
