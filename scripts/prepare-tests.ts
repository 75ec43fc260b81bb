// Builds, and installs the packages that only tests need: all at the same time, because an install mostly waits.
// With names of such packages it only installs these: node scripts/prepare-tests.ts test/other-agents.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGES = ['test/real-agents', 'test/generated-client', 'test/other-nodes']
const named = process.argv.slice(2)

const exits = await Promise.all([
  ...(named.length === 0 ? [npm('run', 'build')] : []),
  ...(named.length === 0 ? PACKAGES : named)
    .filter(directory => !isInstalled(directory))
    .map(directory =>
      npm(...installOf(directory), '--prefix', directory, '--no-audit', '--no-fund'),
    ),
])
process.exitCode = exits.find(code => code !== 0) ?? 0

/** `npm ci` wants every optional package in the lock file, also those for other machines that a registry may not have. */
function installOf(directory: string): readonly string[] {
  return directory === 'test/other-agents' ? ['install', '--no-save'] : ['ci']
}

/** Prints what npm said when it has ended: lines of several commands must not mix. */
function npm(...args: readonly string[]): Promise<number> {
  const child = spawn('npm', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => said.push(chunk))
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => {
      process.stdout.write(Buffer.concat(said))
      resolve(code ?? 1)
    })
  })
}

/** npm notes what it has installed in a lock file of its own: of optional packages only those for this machine. */
function isInstalled(directory: string): boolean {
  const note = join(ROOT, directory, 'node_modules/.package-lock.json')
  if (!existsSync(note)) return false
  const installed = packagesIn(note)
  const { '': _, ...wanted } = packagesIn(join(ROOT, directory, 'package-lock.json'))
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    const there = installed[path]
    return there ? there.version === version : optional === true
  })
}

type LockedPackage = { readonly version: string; readonly optional?: boolean }

function packagesIn(file: string): Readonly<Record<string, LockedPackage>> {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}
