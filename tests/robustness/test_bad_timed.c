// Forces and motions given by expressions that cannot be: each is refused, when it is read or when
// it is compiled, with a message that says where, what was found and what was expected. The file is
// called a.xml; the line is part of the claim.
#include "bad_file.h"
#include "near.h"

#include <dashpot/model.h>

#include <string.h>

#define WITH(content)                                                                              \
    "<mujoco xmlns:dp='dashpot'><option><flag contact='disable'/></option><worldbody>"             \
    "<body name='table' mocap='true'><geom size='.1'/></body><body name='post'><geom size='.1'/>"  \
    "</body><body name='cart' mocap='true'><body name='wheel'><joint name='axle'/>"                \
    "<geom size='.1'/></body></body><body name='arm'><joint name='turn'/><geom size='.1'/>"        \
    "<site name='tip'/><body name='rod' pos='0 0 1'><joint name='slide' type='slide'/>"            \
    "<geom size='.1'/><body name='bob' pos='0 0 1'><joint name='ball' type='ball'/>"               \
    "<geom size='.1'/></body></body></body><body name='box'><freejoint name='free'/>"              \
    "<geom size='.1'/></body></worldbody>\n" content "</mujoco>"

static const bad_file unreadable[] = {
    {DP_ERROR_PARSE, WITH("<dp:force name='f' body='arm' force='1'/>"),
     "a.xml:2: dp:force 'f': found 1 expression for force (expected three, separated by ';'; an "
     "empty one is none)"},
    {DP_ERROR_PARSE, WITH("<dp:force name='f' body='arm' force='1;2;3;4'/>"),
     "found 4 expressions for force (expected three"},
    {DP_ERROR_PARSE, WITH("<dp:force name='f' joint='turn' torque='1;2;3'/>"),
     "found 3 expressions for torque (expected one)"},
    {DP_ERROR_PARSE, WITH("<dp:force name='f' joint='ball' torque='1'/>"),
     "found 1 expression for torque (expected three"},
    {DP_ERROR_PARSE, WITH("<dp:force name='f' site='tip' pos='0 0 1' force='1;2;3'/>"),
     "a.xml:2: dp:force 'f': found pos without body (expected body and pos, or neither)"},
    {DP_ERROR_PARSE, WITH("<dp:force name='f' body='arm' pos='0 0' force='1;2;3'/>"),
     "a.xml:2: dp:force 'f': found 2 numbers in pos (expected 3)"},
    {DP_ERROR_PARSE, WITH("<dp:force name='f' body='arm' frame='body' force='1;2;3'/>"),
     "expected world or local"},
    {DP_ERROR_PARSE, WITH("<dp:force name='f' body='arm' forse='1;2;3'/>"),
     "did you mean 'force'?"},
    {DP_ERROR_PARSE, WITH("<dp:force name='f' force='1;2;3'/>"),
     "a.xml:2: force 'f': what it acts on is missing (expected the name of one body, site or "
     "joint)"},
    {DP_ERROR_PARSE, WITH("<dp:force name='f' body='arm' joint='turn' torque='1'/>"),
     "a.xml:2: force 'f': it acts on several things (expected the name of one body, site or "
     "joint)"},
    {DP_ERROR_PARSE,
     WITH("<dp:force name='f' body='arm' force='1;2;3'/>\n<dp:force name='f' body='arm' "
          "force='1;2;3'/>"),
     "a.xml:3: force 'f' is already defined at a.xml:2"},
    {DP_ERROR_PARSE, WITH("<dp:motion name='m' joint='turn' position='1;2;3'/>"),
     "a.xml:2: dp:motion 'm': found 3 expressions for position (expected one)"},
    {DP_ERROR_PARSE, WITH("<dp:motion name='m' body='table' position='t'/>"),
     "found 1 expression for position (expected three, separated by ';'; an empty one is none)"},
    {DP_ERROR_PARSE, WITH("<dp:motion name='m' position=';;t'/>"),
     "a.xml:2: motion 'm': what it acts on is missing (expected the name of one joint or mocap "
     "body)"},
    {DP_ERROR_PARSE, WITH("<dp:motion name='m' joint='turn' position='t' stiffness='stiff'/>"),
     "stiffness"},
};

static const bad_file impossible[] = {
    // what they act on
    {DP_ERROR_ARGUMENT, WITH("<dp:force name='f' body='amr' force='1;;'/>"),
     "a.xml:2: force 'f': no body 'amr' (did you mean 'arm'?)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:force name='f' site='top' force='1;;'/>"), "no site 'top'"},
    {DP_ERROR_ARGUMENT, WITH("<dp:force name='f' joint='trun' torque='1'/>"), "no joint 'trun'"},
    {DP_ERROR_ARGUMENT, WITH("<dp:force name='f' body='post' force='1;;'/>"),
     "a.xml:2: force 'f' acts on body 'post', which no joint moves (expected a body that can "
     "move)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:force name='f' body='world' force='1;;'/>"),
     "acts on body 'world', which no joint moves"},
    {DP_ERROR_ARGUMENT, WITH("<dp:force name='f' body='table' force='1;;'/>"),
     "acts on body 'table', which no joint moves"},
    {DP_ERROR_ARGUMENT, WITH("<dp:force body='arm'/>"),
     "a.xml:2: force 0 (unnamed) has neither force nor torque (expected an expression for one of "
     "them)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:force name='f' body='arm' force=';;'/>"),
     "has neither force nor torque"},
    {DP_ERROR_ARGUMENT, WITH("<dp:force name='f' joint='turn' force='1'/>"),
     "a.xml:2: force 'f' acts on joint 'turn', a hinge joint, by a force (expected one torque)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:force name='f' joint='slide' torque='1'/>"),
     "acts on joint 'slide', a slide joint, by a torque (expected one force)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:force name='f' joint='ball' force='1;2;3'/>"),
     "acts on joint 'ball', a ball joint, by a force (expected torques)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:force name='f' joint='turn' frame='local' torque='1'/>"),
     "has local axes and acts on a joint (expected a body or a site)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:motion name='m' joint='free' position='t'/>"),
     "a.xml:2: motion 'm' moves joint 'free', a free joint (expected a hinge, slide or ball; a "
     "free body can be welded to a mocap body that moves)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:motion name='m' joint='ball' position='t' rotation='t;;'/>"),
     "motion 'm' of a ball joint has a position (expected its rotation alone)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:motion name='m' joint='ball' rotation=';;'/>"),
     "motion 'm' of a ball joint has no rotation (expected its rotation alone)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:motion name='m' body='arm' position='t;;'/>"),
     "a.xml:2: motion 'm' moves body 'arm', which is no mocap body (expected one, or a joint)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:motion name='m' body='cart' position='t;;'/>"),
     "moves body 'cart', and body 'wheel' on it has joints, which would not feel it (expected a "
     "body of its own, held by an equality)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:motion name='m' joint='turn'/>"),
     "a.xml:2: motion 'm' of a joint has no position (expected an expression)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:motion name='m' joint='turn' position='t' rotation='t'/>"),
     "motion 'm' of a joint has more than one expression (expected its position alone)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:motion name='m' body='table'/>"),
     "has neither position nor rotation (expected an expression for one of them)"},
    {DP_ERROR_ARGUMENT, WITH("<dp:motion name='m' body='table' position='t;;' stiffness='5'/>"),
     "motion 'm' of a mocap body has a stiffness (expected none"},
    {DP_ERROR_ARGUMENT, WITH("<dp:motion name='m' joint='turn' position='t' stiffness='-5'/>"),
     "motion 'm' has a bearing of stiffness -5 (expected a number > 0, or infinity: rigid)"},
    {DP_ERROR_ARGUMENT,
     WITH("<dp:motion name='m' joint='turn' position='t'/>\n<dp:motion name='n' joint='turn' "
          "position='2*t'/>"),
     "a.xml:3: motion 'n' moves what motion 'm' moves (expected one motion)"},
    {DP_ERROR_ARGUMENT,
     WITH("<dp:motion name='m' body='table' position='t;;'/>\n<dp:motion name='n' body='table' "
          "rotation='t;;'/>"),
     "a.xml:3: motion 'n' moves what motion 'm' moves"},
    // expressions
    {DP_ERROR_PARSE, WITH("<dp:force name='f' body='arm' force='0; 2*sine(t); 0'/>"),
     "a.xml:2: force 'f': force: expression '2*sine(t)', column 3: unknown name 'sine' (did you "
     "mean 'sin'?)"},
    {DP_ERROR_PARSE, WITH("<dp:force name='f' joint='turn' torque='2t'/>"),
     "a.xml:2: force 'f': torque: expression '2t', column 2: found 't' (expected an operator"},
    {DP_ERROR_PARSE, WITH("<dp:motion name='m' joint='turn' position='(t'/>"),
     "a.xml:2: motion 'm': position: expression '(t', column 3: found the end"},
    {DP_ERROR_NUMERIC, WITH("<dp:force name='f' joint='turn' torque='log(t)'/>"),
     "a.xml:2: force 'f': torque: expression 'log(t)', column 1: log(0) at t = 0"},
    {DP_ERROR_NUMERIC, WITH("<dp:motion name='m' joint='turn' position='1/t'/>"),
     "a.xml:2: motion 'm': position: expression '1/t'"},
    {DP_ERROR_NUMERIC, WITH("<dp:motion name='m' body='table' rotation='sqrt(t - 1);;'/>"),
     "a.xml:2: motion 'm': rotation: expression 'sqrt(t - 1)'"},
    {DP_ERROR_NUMERIC, WITH("<dp:motion name='m' body='table' rotation='1e200;1e200;'/>"),
     "a.xml:2: motion 'm': at the start: a rotation by (1e+200, 1e+200, 0) rad at t = 0 s "
     "(expected less than 1e+15 rad)"},
};

static void each_bad_file_is_refused_with_its_message(void **state)
{
    (void)state;
    assert_files_refused(dp_mjcf_parse, "a.xml", unreadable,
                         sizeof unreadable / sizeof unreadable[0]);
}

// Read a file, and compile what it says.
static dp_status read_and_compile(dp_spec **out, dp_import_report **report, const char *text,
                                  size_t bytes, const char *path, const dp_import_options *options)
{
    dp_status status = dp_mjcf_parse(out, report, text, bytes, path, options);
    dp_model *m = NULL;
    if (status == DP_OK) {
        status = dp_model_compile(&m, *out);
    }
    if (status != DP_OK) {
        assert_null(m);
        dp_spec_destroy(*out);
        *out = NULL;
    }
    dp_model_destroy(m);
    return status;
}

static void each_impossible_element_is_refused_with_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof impossible / sizeof impossible[0]; ++i) {
        dp_spec *spec; // it is the compiler that refuses
        const char *text = impossible[i].text;
        assert_int_equal(dp_mjcf_parse(&spec, NULL, text, strlen(text), "a.xml", NULL), DP_OK);
        dp_spec_destroy(spec);
    }
    assert_files_refused(read_and_compile, "a.xml", impossible,
                         sizeof impossible / sizeof impossible[0]);
}

static void the_surroundings_of_the_bad_cases_compile(void **state)
{
    (void)state;
    static const char *const sound[] = {
        WITH(""),
        WITH("<dp:force name='f' body='arm' force='1;2;3'/>"),
        WITH("<dp:force name='f' joint='turn' torque='t > 1 ? log(t) : 0'/>"),
        WITH("<dp:motion name='m' joint='turn' position='sqrt(t)'/>"), // the value is enough
        WITH("<dp:motion name='m' body='table' position='t;;' rotation='1e14;;'/>"),
    };
    assert_files_load(read_and_compile, "a.xml", sound, sizeof sound / sizeof sound[0]);
}

static void a_point_without_a_body_is_refused(void **state)
{
    (void)state;
    static const char text[] = WITH("<dp:force name='f' site='tip' force='1;2;3'/>");
    dp_spec *spec;
    dp_model *m;
    assert_int_equal(dp_mjcf_parse(&spec, NULL, text, sizeof text - 1, "a.xml", NULL), DP_OK);
    dp_spec_force(spec, (dp_force_id){0})->point.y = 1.0;
    assert_int_equal(dp_model_compile(&m, spec), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "has a point and no body (expected a body, or no "
                                            "point)"));
    dp_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bad_file_is_refused_with_its_message),
        cmocka_unit_test(each_impossible_element_is_refused_with_its_message),
        cmocka_unit_test(the_surroundings_of_the_bad_cases_compile),
        cmocka_unit_test(a_point_without_a_body_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
