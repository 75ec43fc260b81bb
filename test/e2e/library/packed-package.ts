// A project that has installed the packed package as a user does, and a directory that it was installed into globally.
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { LAUNCHER } from '../cli/cli-world.ts'

export const ROOT = dirname(dirname(LAUNCHER))

/** For an install that hangs: one takes seconds, and minutes on a machine that is very busy. */
export const INSTALL_LIMIT_MS = 600_000

const run = promisify(execFile)

/** Packs the repository into `directory`; gives the path of the file. */
export function pack(directory: string): string {
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory]
  const options = { cwd: ROOT, env: userEnv(), encoding: 'utf8' } as const
  return join(directory, execFileSync('npm', args, options).trim())
}

/** Lays out the package in a project as npm does, without what it needs; gives the project's `node_modules`. */
export function unpackInto(project: string, directory: string): string {
  const modules = join(project, 'node_modules')
  mkdirSync(join(modules, 'reprise'), { recursive: true })
  mkdirSync(join(modules, '.bin'))
  const unpack = ['-xzf', pack(directory), '--strip-components=1']
  execFileSync('tar', [...unpack, '-C', join(modules, 'reprise')])
  const { bin } = manifestOf(modules)
  symlinkSync(join('..', 'reprise', bin.reprise), join(modules, '.bin', 'reprise'))
  return modules
}

/** Installs the packed file into an empty project; gives what npm said. */
export function installInto(project: string, packed: string): Promise<string> {
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "name": "mine", "type": "module" }')
  return npm(project, ['install', packed])
}

/** Installs the packed file as a command, below a directory instead of the system's; gives what npm said. */
export function installGlobally(prefix: string, packed: string): Promise<string> {
  return npm(dirname(packed), ['install', '--global', '--prefix', prefix, packed])
}

async function npm(cwd: string, args: readonly string[]): Promise<string> {
  // A registry that falls silent is asked again soon.
  const patient = ['--fetch-timeout=30000', '--fetch-retries=3']
  const quick = [...patient, '--prefer-offline', '--no-audit', '--no-fund', '--no-progress']
  const options = { cwd, env: userEnv(), encoding: 'utf8', timeout: INSTALL_LIMIT_MS } as const
  const { stdout, stderr } = await run('npm', [...args, ...quick], options)
  return `${stdout}${stderr}`
}

/** How the user who runs the tests reaches a registry. */
const NETWORK =
  /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|(?:HTTPS?|NO)_PROXY|npm_config_(?:registry|cafile))$/i

/** The registry and the cache of that user: tests have another HOME. */
function userEnv(): NodeJS.ProcessEnv {
  const { homedir } = userInfo()
  const network = Object.entries(process.env).filter(([name]) => NETWORK.test(name))
  return {
    ...Object.fromEntries(network),
    ...{ PATH: process.env.PATH, HOME: homedir, npm_config_update_notifier: 'false' },
  }
}

export function manifestOf(modules: string) {
  return JSON.parse(readFileSync(join(modules, 'reprise/package.json'), 'utf8'))
}

/** The packages that came along, by the lock file that npm wrote. */
export function installedIn(project: string): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))
  const places = Object.keys(packages).filter(place => place.startsWith('node_modules/'))
  return places.filter(place => existsSync(join(project, place)))
}
