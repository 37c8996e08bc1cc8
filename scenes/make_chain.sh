#!/bin/sh
# Write an open chain of N links as MJCF into this folder: make_chain.sh 50 makes chain_50.xml.
#
# The bodies are nested, and some XML readers give up at a depth of 100 elements. So every 50 links the
# rest of the chain goes to a file of its own under parts/, which the last body before it includes.
set -eu
n=${1:?usage: make_chain.sh NUMBER_OF_LINKS}
cd "$(dirname "$0")"
height=$(awk "BEGIN { print 0.1 * $n + 0.5 }")

# links FIRST LAST: the nested bodies, one a line, and their closing tags, ten a line
links() {
    i=$1
    while [ "$i" -le "$2" ]; do
        class=$([ $((i % 2)) -eq 1 ] && echo bend || echo sway)
        pos=$([ "$i" -eq 1 ] && echo "0 0 $height" || echo "0.1 0 0")
        echo "    <body name=\"link_$i\" pos=\"$pos\" childclass=\"$class\"><joint name=\"joint_$i\"/><geom name=\"rod_$i\"/>"
        i=$((i + 1))
    done
    if [ "$2" -eq "$n" ]; then
        echo '    <site name="tip" pos="0.1 0 0" size="0.02"/>'
    else
        next=$(($2 + 50 < n ? $2 + 50 : n))
        part="parts/chain_${n}_links_$(($2 + 1))_to_$next.xml"
        echo "    <include file=\"$part\"/>"
        mkdir -p parts
        (
            echo "<!-- Links $(($2 + 1)) to $next of chain_$n.xml, written by make_chain.sh. -->"
            echo "<mujocoinclude>"
            links $(($2 + 1)) "$next"
            echo "</mujocoinclude>"
        ) > "$part"
    fi
    awk -v n=$(($2 - $1 + 1)) 'BEGIN {
        for (i = 1; i <= n; ++i) {
            printf "%s</body>%s", i % 10 == 1 ? "    " : "", i % 10 == 0 || i == n ? "\n" : ""
        }
    }'
}

{
    cat << HEAD
<!-- An open chain of $n links of 10 cm, written by make_chain.sh. The hinge axes take turns between y and z, so
     that the chain moves in space. It is drawn out along x and falls; the keyframe \`swaying\` hangs in waves.
     Each body is nested in the one before it; the last lines close them all. -->
<mujoco model="chain_$n">
  <compiler angle="radian"/>
  <option timestep="0.001" gravity="0 0 -9.81">
    <flag contact="disable"/>
  </option>

  <default>
    <default class="bend">
      <joint type="hinge" axis="0 1 0" damping="0.02"/>
      <geom type="capsule" fromto="0.02 0 0 0.08 0 0" size="0.02" mass="0.08" rgba="0.24 0.45 0.65 1"/>
    </default>
    <default class="sway">
      <joint type="hinge" axis="0 0 1" damping="0.02"/>
      <geom type="capsule" fromto="0.02 0 0 0.08 0 0" size="0.02" mass="0.08" rgba="0.91 0.46 0.18 1"/>
    </default>
  </default>

  <worldbody>
    <geom name="ground" type="plane" size="$height $height 0.1" rgba="0.93 0.93 0.90 1"/>
    <geom name="hook" type="sphere" pos="0 0 $height" size="0.03" rgba="0.25 0.27 0.30 1"/>

HEAD
    links 1 $((n < 50 ? n : 50))
    cat << TAIL
  </worldbody>

  <sensor>
    <framepos name="tip_position" objtype="site" objname="tip"/>
    <framelinvel name="tip_velocity" objtype="site" objname="tip"/>
    <subtreecom name="centre_of_mass" body="link_1"/>
  </sensor>

  <keyframe>
    <key name="swaying" qpos="
TAIL
    awk -v n="$n" 'BEGIN {
        for (i = 1; i <= n; ++i) {
            q = i == 1 ? 1.2 : i % 2 ? 0.03 : i % 10 < 5 ? -0.2 : 0.2
            printf "%s%g%s", i % 10 == 1 ? "      " : " ", q, i == n ? "\"/>\n" : i % 10 ? "" : "\n"
        }
    }'
    cat << END
  </keyframe>
</mujoco>
END
} > "chain_$n.xml"
