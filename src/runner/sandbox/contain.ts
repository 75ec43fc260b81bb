// The command line that runs an agent inside a sandbox. It is pure: the caller says what is installed and which user we are.

import type { RealSandbox } from '../../core/run/sandbox.ts'
import { RepriseError } from '../../errors.ts'
import type { Privilege, Tools } from './tools.ts'

export type Containment = {
  readonly sandbox: RealSandbox
  /** The real path of our data directory; it is empty and read-only inside. */
  readonly hidden: string
  /** Files below `hidden` that the agent reads by path. */
  readonly readable: readonly string[]
  /** A directory below `hidden` in which the agent works. */
  readonly writableDir?: string
  /** Directories below `hidden` that the agent may read. */
  readonly readableDirs?: readonly string[]
}

export type SandboxedCommand = { readonly file: string; readonly args: readonly string[] }

/** What the machine offers. */
export type Offer = { readonly tools: Tools; readonly privilege: Privilege }

/** Exit codes of our own scripts, before the agent has started. */
export const NOT_RELEASED = 75
export const OTHER_DIRECTORY = 76
const NOT_HIDDEN = 125

/**
 * The handshake. The script writes `ready` to fd 3 when everything is set up, and starts the agent when `go` arrives on
 * stdin. Reprise can be killed after the spawn, before its death ends the sandbox: then `go` never comes.
 * Fd 4 is the work dir as Reprise opened it, because bwrap enters it by a name that may lead elsewhere by then.
 */
const HANDSHAKE = `[ . -ef /proc/self/fd/4 ] || exit ${OTHER_DIRECTORY}
echo ready >&3
read -r go && [ "$go" = go ] || exit ${NOT_RELEASED}
exec 3>&- 4>&-`

const RELEASE = `${HANDSHAKE}
env=$1
shift
exec "$env" --default-signal=INT,TERM -- "$@"`

/**
 * The first process of the PID namespace: it hides the data directory, and lives as long as the agent. Arguments: the
 * directory to hide; mount, mkdir and cp; files to keep, up to `--`, with `+` before a directory that may be written and `=`
 * before one that may be read; the command. An open descriptor still reaches the directory when a tmpfs covers its
 * name, if mount does not resolve the name first.
 */
const HIDE = `trap : INT TERM
hidden=$1 mount=$2 mkdir=$3 cp=$4
shift 4
exec 6<"$hidden" || exit ${NOT_HIDDEN}
"$mount" -t tmpfs -o mode=700,size=256m reprise-hidden "$hidden" || exit ${NOT_HIDDEN}
while [ "$1" != -- ]; do
  case $1 in
  /*)
    "$mkdir" -p "\${1%/*}" && "$cp" "/proc/self/fd/6\${1#"$hidden"}" "$1" || exit ${NOT_HIDDEN} ;;
  *)
    dir=\${1#?}
    "$mkdir" -p "$dir" && "$mount" -c --bind "/proc/self/fd/6\${dir#"$hidden"}" "$dir" || exit ${NOT_HIDDEN}
    case $1 in =*) "$mount" -c -o remount,bind,ro "$dir" || exit ${NOT_HIDDEN} ;; esac ;;
  esac
  shift
done
shift
exec 6<&-
"$mount" -o remount,ro reprise-hidden "$hidden" || exit ${NOT_HIDDEN}
${HANDSHAKE}
"$@"
exit $?`

export function contain(
  inside: SandboxedCommand,
  workDir: string,
  containment: Containment,
  offer: Offer,
): SandboxedCommand {
  return containment.sandbox === 'bwrap'
    ? inBubblewrap(inside, workDir, containment, offer)
    : inNamespace(inside, containment, offer)
}

/** Makes bwrap ignore the signals that are meant for the agent, and gives the agent their defaults back. */
function inBubblewrap(
  { file, args }: SandboxedCommand,
  workDir: string,
  { hidden, readable, writableDir, readableDirs = [] }: Containment,
  { tools, privilege }: Offer,
): SandboxedCommand {
  const env = installed(tools, 'env')
  return {
    file: env,
    args: [
      ...['--ignore-signal=INT,TERM', installed(tools, 'bwrap')],
      ...['--die-with-parent', '--unshare-pid'],
      ...(privilege === 'root-without-mount' ? ['--unshare-user', '--cap-drop', 'ALL'] : []),
      ...['--dev-bind', '/', '/', '--proc', '/proc', '--tmpfs', hidden],
      ...[...readable, ...readableDirs].flatMap(path => ['--ro-bind', path, path]),
      ...(writableDir === undefined ? [] : ['--bind', writableDir, writableDir]),
      ...['--remount-ro', hidden, '--chdir', workDir],
      // A process that may mount may also unmount what hides the data directory.
      ...(privilege === 'root' ? ['--cap-drop', 'CAP_SYS_ADMIN'] : []),
      ...['--', installed(tools, 'sh'), '-c', RELEASE, 'reprise-sandbox', env, file, ...args],
    ],
  }
}

function inNamespace(
  { file, args }: SandboxedCommand,
  { hidden, readable, writableDir, readableDirs = [] }: Containment,
  { tools, privilege }: Offer,
): SandboxedCommand {
  const setpriv = installed(tools, 'setpriv')
  const helpers = (['mount', 'mkdir', 'cp'] as const).map(name => installed(tools, name))
  const isRoot = privilege === 'root'
  const ownUser = isRoot ? [] : ['--user', '--map-current-user', '--keep-caps']
  const noPrivileges = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all']
  return {
    file: setpriv,
    args: [
      ...['--pdeathsig', 'KILL', '--', installed(tools, 'unshare'), ...ownUser],
      ...['--pid', '--fork', '--kill-child', '--mount-proc'],
      ...[installed(tools, 'sh'), '-c', HIDE, 'reprise-sandbox', hidden, ...helpers],
      ...[...readable, ...readableDirs.map(path => `=${path}`)],
      ...(writableDir === undefined ? [] : [`+${writableDir}`]),
      ...['--', setpriv],
      ...(isRoot ? ['--bounding-set=-sys_admin'] : [...noPrivileges, '--no-new-privs']),
      ...['--', file, ...args],
    ],
  }
}

function installed(tools: Tools, name: keyof Tools): string {
  const path = tools[name]
  if (path !== null) return path
  const hint = 'Install it, or choose another sandbox with `--sandbox`.'
  throw new RepriseError('agent-unusable', `\`${name}\` is not installed`, hint)
}

/** Signals that a program does not handle. For those that it handles, such as SIGTERM, it ends with a code of its own. */
const FATAL: Readonly<Record<number, string>> = {
  132: 'SIGILL',
  133: 'SIGTRAP',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  137: 'SIGKILL',
  139: 'SIGSEGV',
}

type End = { readonly code: number | null; readonly signal: string | null }

/** How the agent ended: a sandbox reports a signal as exit code 128 + its number. */
export function endInside({ code, signal }: End): End {
  const fatal = code === null ? undefined : FATAL[code]
  return fatal === undefined ? { code, signal } : { code: null, signal: fatal }
}
