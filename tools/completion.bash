# Completion of the dashpot command in bash: `source tools/completion.bash`.

_dashpot() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local run="--seconds --step --integrator --tolerance --accuracy --law --stiffness-scale --friction-scale --keyframe --control --interpolate --csv --npz
        --plot --pressure --html --channels --every --sample --dump-problems --allow --confined --package --floating --self-collision --ground --add --set --threads --certificate --profile --json --report --quiet --help"
    local view="--port --open --folder --recordings --paused --speed --law --step --keyframe --set --allow --confined --package --floating --self-collision --ground --add --quiet --help"
    local check="--all --tree --channels --parameters --contacts --margin --forces --length --keyframe --strict --allow --confined --package --floating --self-collision --ground --add --json --help"
    local convert="--mujoco --allow --confined --package --floating --self-collision --ground --add --quiet --help"
    local solve="--law --set --cold --rows --write --form --profile --plot --csv --json --help"
    local bench="--seconds --step --keyframe --repeat --threads --set --allow --confined --package --floating --self-collision --ground --add --hash --json --help"
    local work="--laws --steps --accuracy --slip-speeds --window --seconds --reference --keyframe --set --allow --confined --package --floating --self-collision --ground --add --csv --plot --json --help"
    local compare="--laws --steps --seconds --stiffness-scale --friction-scale --accuracy --reference --keyframe --patience --threads --set --allow --confined --package --floating --self-collision --ground --add --html --csv --json --help"
    local paper="--list --out --scene --quick --json --help"
    local features="fluid muscle adhesion mesh hfield sensor plugin inertia"
    local settings="step= gravity= magnetic= integrator= relative_tolerance= absolute_tolerance=
        max_substeps= large_rotation= accuracy= gap_tolerance= correction_speed= max_passes= max_halvings= sleep_speed= sleep_time= contact_stiffness_scale= contact_friction_scale=
        law.tolerance= law.error_share= law.max_factorizations= lcp.directions= lcp.method=automatic lcp.method=lemke lcp.method=map rigid.stabilisation=gap rigid.stabilisation=projection
        rigid.compliance= rigid.weights=stiffness rigid.weights=equal vi.friction=cone vi.friction=disc vi.desaxce=true vi.desaxce=false friction.slip_speed= tamsi.slip_turn= ode.stiffness=
        impact.rule=expedient impact.rule=poisson impact.rule=newton impact.speed= disable_gravity= disable_contact= disable_limits=
        disable_equality= disable_springs= disable_dampers= disable_actuation= disable_clamp_control="
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "run view check convert solve bench work compare paper help --help --version" -- "$word"))
        return
    fi
    if [[ ${COMP_WORDS[1]} == help ]]; then
        COMPREPLY=($(compgen -W "run view check convert solve bench work compare paper" -- "$word"))
        return
    fi
    case $before in
    --integrator) COMPREPLY=($(compgen -W "semi-implicit rk4 rk45 implicit-euler cvode" -- "$word")) && return ;;
    --form) COMPREPLY=($(compgen -W "local global" -- "$word")) && return ;;
    --allow) COMPREPLY=($(compgen -W "$features" -- "$word")) && return ;;
    --laws)
        local more="all published rk45 implicit-euler cvode"
        [[ ${COMP_WORDS[1]} == work ]] && more="rk45 implicit-euler cvode"
        COMPREPLY=($(compgen -W "compliant lcp ncp vi tamsi ode $more" -- "$word")) && return
        ;;
    --reference)
        local more="finest none"
        [[ ${COMP_WORDS[1]} == work ]] && more="own"
        COMPREPLY=($(compgen -W "ode $more" -- "$word")) && return
        ;;
    --law) COMPREPLY=($(compgen -W "compliant lcp ncp vi tamsi ode" -- "$word")) && return ;;
    --set)
        [[ ${COMP_WORDS[1]} == solve ]] && settings="law.tolerance= law.error_share= law.max_factorizations= lcp.directions=
            rigid.compliance= rigid.weights=stiffness rigid.weights=equal vi.friction=cone vi.friction=disc vi.desaxce=true vi.desaxce=false friction.slip_speed= tamsi.slip_turn=
            lcp.method=map lcp.method=automatic lcp.method=lemke lcp.method=pivoting lcp.method=newton lcp.tolerance= lcp.threshold= lcp.max_pivots= lcp.restarts= lcp.seed=
            fc.method=automatic fc.method=newton fc.method=cone fc.method=sweeps fc.space=impulses fc.space=velocities fc.tolerance= fc.max_factorizations="
        compopt -o nospace
        COMPREPLY=($(compgen -W "$settings" -- "$word"))
        return
        ;;
    --seconds | --step | --steps | --window | --length | --margin | --tolerance | --accuracy | --every | --sample | --threads | --repeat | --patience | --port | --speed | --stiffness-scale | --friction-scale) return ;;
    --keyframe | --channels)
        if [[ ${COMP_WORDS[1]} == run || $before == --keyframe ]]; then
            _dashpot_names "$before" "$word"
            return
        fi
        ;;
    esac
    if [[ $word == -* ]]; then
        case ${COMP_WORDS[1]} in
        run) COMPREPLY=($(compgen -W "$run" -- "$word")) ;;
        view) COMPREPLY=($(compgen -W "$view" -- "$word")) ;;
        check) COMPREPLY=($(compgen -W "$check" -- "$word")) ;;
        convert) COMPREPLY=($(compgen -W "$convert" -- "$word")) ;;
        solve) COMPREPLY=($(compgen -W "$solve" -- "$word")) ;;
        bench) COMPREPLY=($(compgen -W "$bench" -- "$word")) ;;
        work) COMPREPLY=($(compgen -W "$work" -- "$word")) ;;
        compare) COMPREPLY=($(compgen -W "$compare" -- "$word")) ;;
        paper) COMPREPLY=($(compgen -W "$paper" -- "$word")) ;;
        esac
        return
    fi
    if [[ ${COMP_WORDS[1]} == paper && $before != --out && $before != --scene ]]; then
        COMPREPLY=($(compgen -W "all $("${COMP_WORDS[0]}" paper --list 2>/dev/null |
            awk 'NR > 1 { print $1 }')" -- "$word"))
        return
    fi
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$word"))
}

# Channels of the scene on the command line; there is no need to remember them.
_dashpot_names() {
    local scene= argument
    for argument in "${COMP_WORDS[@]:2}"; do
        [[ $argument != -* && -f $argument ]] && scene=$argument && break
    done
    [[ -n $scene ]] || return
    if [[ $1 == --channels ]]; then
        local last=${2##*,} front=
        [[ $2 == *,* ]] && front=${2%,*},
        compopt -o nospace
        COMPREPLY=($(compgen -P "$front" -W "$("${COMP_WORDS[0]}" check --channels "$scene" 2>/dev/null |
            awk 'NR > 1 { print $1 }')" -- "$last"))
    else
        COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" check "$scene" 2>/dev/null |
            sed -n 's/^  keyframes //p' | tr -d ',')" -- "$2"))
    fi
}

complete -F _dashpot dashpot
