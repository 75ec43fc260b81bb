// A small shell beside the agent that ends the agent's whole tree when Reprise itself dies, even by kill -9.
import { spawn } from 'node:child_process'
import { RepriseError } from '../errors.ts'
import { MARKER_VARIABLE, type ProcessRef } from './proc.ts'

export type Watcher = {
  /** Tells who the agent is; without /proc its process group is all the watcher can end. */
  follow(agent: ProcessRef): void
  /** The run is over and nothing is left of it. */
  release(): void
}

/**
 * Reads `agent PID START` and `done` from stdin. The end of stdin without `done` means that Reprise is gone: our end of
 * the pipe is closed by the kernel, and not before an agent being started has become itself and carries the marker.
 * Rounds of a tenth of a second, at most 80: terminate first, kill from round 15 on. Claude Code has written its session
 * file 0.3 s after SIGTERM; to end by itself it may take 4 s more, in which nothing happens.
 */
const SCRIPT = `
trap '' INT TERM HUP
entry="${MARKER_VARIABLE}=$1" agent= agent_start=
while read -r word one two; do
  case $word in
    agent) agent=$one agent_start=$two ;;
    done) exit 0 ;;
  esac
done

pause() { sleep 0.1 || sleep 1; }

if [ ! -e /proc/self/stat ]; then
  [ "$agent" ] || exit 0
  kill -s TERM -- "-$agent" || exit 0
  round=0
  while [ $round -lt 15 ] && kill -s 0 -- "-$agent"; do pause; round=$((round + 1)); done
  kill -s KILL -- "-$agent"
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
  if [ "$has_z" ]; then grep -lszxF -e "$entry" /proc/[0-9]*/environ; return; fi
  for file in /proc/[0-9]*/environ; do
    tr '\\0' '\\n' < "$file" | grep -qxF -e "$entry" && echo "$file"
  done
}

# Sets pids: those with the marker, the agent, and all below them.
find_pids() {
  pids=' '
  for file in $(marked); do file=\${file#/proc/}; pids="$pids\${file%%/*} "; done
  if [ "$agent" ] && start_of "$agent" && [ "$start" = "$agent_start" ]; then pids="$pids$agent "; fi
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

/** Not waited for: it costs the start of a shell. It must be started before the agent, so that no moment is unwatched. */
export function startWatcher(marker: string): Watcher {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', marker], {
    cwd: '/',
    // Without the marker, or it would find itself.
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
  // A watcher that somebody killed must not take the run with it; what is left is found at the next start.
  shell.on('error', () => {})
  stdin.on('error', () => {})
  shell.unref()
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
  return {
    follow: agent => void stdin.write(`agent ${agent.pid} ${agent.startTime}\n`),
    release: () => void stdin.end('done\n'),
  }
}
