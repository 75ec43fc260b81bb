// Puts the compiled CLI into a few files: to load hundreds of them takes longer than all that most verbs do.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const directory = fileURLToPath(new URL('../dist/cli', import.meta.url))
const chunks = join(directory, 'chunks')

rmSync(chunks, { recursive: true, force: true })
const bundle = await rolldown({
  input: { main: join(directory, 'main.js') },
  platform: 'node',
  // A native addon finds its binary from where it is; the fake agent is a program and is started by its path.
  external: [/^node:/, 'better-sqlite3', /\/testing\/fake-agent\//],
})
const { output } = await bundle.write({
  dir: directory,
  entryFileNames: '[name].js',
  // One level down: where modules are that look for dist/cli/main.js from their own place.
  chunkFileNames: 'chunks/[name]-[hash].js',
})
await bundle.close()
writeFileSync(join(chunks, 'LICENSES.txt'), licences(output.flatMap(modulesOf)))

function modulesOf(file: (typeof output)[number]): readonly string[] {
  return file.type === 'chunk' ? file.moduleIds : []
}

/** The licence of every package that is in the bundle goes with it. */
function licences(modules: readonly string[]): string {
  const packages = modules.flatMap(id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [])
  return [...new Set(packages)].sort().map(licenceOf).join('\n\n')
}

function licenceOf(directory: string): string {
  const { name, version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  const file = readdirSync(directory).find(entry => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no licence that could go with the bundle`)
  return `${name} ${version}\n\n${readFileSync(join(directory, file), 'utf8').trim()}\n`
}
