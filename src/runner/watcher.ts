// A small shell beside our agents that ends their whole trees when Reprise itself dies, even by kill -9.
import { spawn } from 'node:child_process'
import { RepriseError } from '../errors.ts'
import { MARKER_VARIABLE, type ProcessRef } from './proc.ts'

export type Watcher = {
  /** Called before the agent starts, so that it is watched at every moment. */
  watch(marker: string): WatchedRun
}

export type WatchedRun = {
  /** Names the agent's process; without /proc the watcher can end only its process group. */
  follow(agent: ProcessRef): void
  /** The run is over and nothing is left of it. */
  release(): void
}

/**
 * Reads `run MARKER`, `agent MARKER PID START` and `done MARKER` from stdin. The end of stdin means that Reprise has
 * died: the kernel closes our end of the pipe, but not before a starting agent has executed its program and carries its
 * marker. The watcher then ends the runs that are not done.
 * It works in at most 80 rounds of a tenth of a second: terminate first, kill from round 15 on. Claude Code has written
 * its session file 0.3 s after SIGTERM; it may take 4 s more to end by itself, in which nothing happens.
 */
const SCRIPT = `
trap '' INT TERM HUP
runs=' ' agents=' '
forget() {
  runs="\${runs%% $1 *} \${runs#* $1 }"
  others=' '
  for agent in $agents; do
    case $agent in "$1":*) ;; *) others="$others$agent " ;; esac
  done
  agents=$others
}
while read -r word run pid start; do
  case $word in
    run) runs="$runs$run " ;;
    agent) agents="$agents$run:$pid:$start " ;;
    done) forget "$run" ;;
  esac
done
set -- $runs
[ $# -gt 0 ] || exit 0

pause() { sleep 0.1 || sleep 1; }

if [ ! -e /proc/self/stat ]; then
  groups=
  for agent in $agents; do agent=\${agent#*:} groups="$groups -\${agent%:*}"; done
  [ "$groups" ] || exit 0
  kill -s TERM -- $groups
  round=0
  while [ $round -lt 15 ] && kill -s 0 -- $groups; do pause; round=$((round + 1)); done
  kill -s KILL -- $groups
  exit 0
fi

# Sets start; a name may hold newlines, so the whole file is read.
start_of() {
  stat= start=
  while IFS= read -r part; do stat="$stat $part"; done < "/proc/$1/stat" || return 1
  set -- \${stat##*) }
  case $1 in Z | X | '') return 1 ;; esac
  start=\${20}
}

printf 'a\\0b\\0' | grep -qzx b && has_z=yes || has_z=
marked() {
  set --
  for run in $runs; do set -- "$@" -e "${MARKER_VARIABLE}=$run"; done
  if [ "$has_z" ]; then grep -lszxF "$@" /proc/[0-9]*/environ; return; fi
  for file in /proc/[0-9]*/environ; do
    tr '\\0' '\\n' < "$file" | grep -qxF "$@" && echo "$file"
  done
}

# Sets pids: those with a marker, the agents, and all below them.
find_pids() {
  pids=' '
  for file in $(marked); do file=\${file#/proc/}; pids="$pids\${file%%/*} "; done
  for agent in $agents; do
    agent_start=\${agent##*:} agent=\${agent#*:} agent=\${agent%:*}
    if start_of "$agent" && [ "$start" = "$agent_start" ]; then pids="$pids$agent "; fi
  done
  links=$(grep -Hs '^PPid:' /proc/[0-9]*/status)
  more=yes
  while [ "$more" ]; do
    more=
    set -- $links
    while [ $# -gt 1 ]; do
      pid=\${1#/proc/} pid=\${pid%%/*}
      case $pids in
        *" $pid "*) ;;
        *" $2 "*) pids="$pids$pid " more=yes ;;
      esac
      shift 2
    done
  done
}

known=' ' round=0 quiet=0
while [ $round -lt 80 ] && [ $quiet -lt 2 ]; do
  find_pids
  for pid in $pids; do
    start_of "$pid" || continue
    case $known in *" $pid:$start "*) continue ;; esac
    known="$known$pid:$start "
    kill -s TERM "$pid"
  done
  left=
  for ref in $known; do
    start_of "\${ref%%:*}" && [ "$start" = "\${ref##*:}" ] || continue
    left=yes
    [ $round -lt 15 ] || kill -s KILL "\${ref%%:*}"
  done
  round=$((round + 1))
  if [ "$left" ]; then quiet=0; pause; else quiet=$((quiet + 1)); fi
done
`

/** One shell for all runs of this process, started with the first of them; it costs a few milliseconds once. */
export function createWatcher(): Watcher {
  let writeLine: ((line: string) => void) | null = null
  return {
    watch(marker) {
      writeLine ??= startShell(() => {
        // Somebody ended the watcher. Recovery finds its runs at the next start; the next run gets a new watcher.
        writeLine = null
      })
      const write = writeLine
      write(`run ${marker}`)
      return {
        follow: agent => write(`agent ${marker} ${agent.pid} ${agent.startTime}`),
        release: () => write(`done ${marker}`),
      }
    },
  }
}

function startShell(onEnd: () => void): (line: string) => void {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'reprise-watcher', String(process.pid)], {
    cwd: '/',
    // The watcher has no marker, or it would find itself.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  if (shell.pid === undefined) {
    shell.on('error', () => {}) // The same again, later.
    throw new RepriseError(
      'internal',
      'The watcher that ends an agent when Reprise dies could not be started',
      'Check that /bin/sh exists and that the limit of processes is not reached.',
    )
  }
  const { stdin } = shell
  shell.on('exit', onEnd)
  shell.on('error', () => {}) // About signals to a process that has ended.
  stdin.on('error', () => {}) // A killed watcher must not end the run.
  shell.unref()
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
  return line => void stdin.write(`${line}\n`)
}
