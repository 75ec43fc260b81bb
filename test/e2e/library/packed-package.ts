// A project that has installed the packed package, as npm lays it out: `npm install` itself would ask a registry.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LAUNCHER } from '../cli/cli-world.ts'

export const ROOT = dirname(dirname(LAUNCHER))

type Locked = { readonly dev?: boolean; readonly optional?: boolean; readonly bin?: object }

/** Packs the repository into `directory` and unpacks it into `project`; gives the project's `node_modules`. */
export function unpackInto(project: string, directory: string): string {
  const modules = join(project, 'node_modules')
  mkdirSync(join(modules, 'reprise'), { recursive: true })
  mkdirSync(join(modules, '.bin'))
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory]
  const name = execFileSync('npm', pack, { cwd: ROOT, encoding: 'utf8' }).trim()
  const unpack = ['-xzf', join(directory, name), '--strip-components=1']
  execFileSync('tar', [...unpack, '-C', join(modules, 'reprise')])
  const { bin } = manifestOf(modules)
  symlinkSync(join('..', 'reprise', bin.reprise), join(modules, '.bin', 'reprise'))
  return modules
}

export function manifestOf(modules: string) {
  return JSON.parse(readFileSync(join(modules, 'reprise/package.json'), 'utf8'))
}

/** Copies what `npm install` would bring with the package, and nothing that only the repository needs. */
export function addDependencies(modules: string): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const places = Object.entries<Locked>(packages)
    .filter(([place, { dev }]) => place.startsWith('node_modules/') && dev !== true)
    .map(([place]) => place.slice('node_modules/'.length))
  for (const place of places) {
    cpSync(join(ROOT, 'node_modules', place), join(modules, place), { recursive: true })
  }
  return places
}
