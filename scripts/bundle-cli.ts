// Makes dist/cli a bundle: to load hundreds of modules takes longer than all that most verbs do. The fake agent becomes one file.
// CommonJS, because Node loads ES modules more slowly: with them, `reprise threads` takes a fifth more CPU time.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const dist = fileURLToPath(new URL('../dist', import.meta.url))
const bundled = join(dist, 'cli-bundle')

rmSync(bundled, { recursive: true, force: true })
const bundle = await rolldown({
  input: { main: join(dist, 'cli', 'main.js') },
  platform: 'node',
  // better-sqlite3 finds its binary from its own directory. The fake agent is a program and is started by its path.
  // What only the daemon needs is loaded once in its long life.
  external: [
    /^node:/,
    'better-sqlite3',
    'pg',
    /\/testing\/fake-agent\//,
    /^@?hono(?:\/|$)/,
    'pino',
    'prom-client',
  ],
})
const { output } = await bundle.write({
  dir: bundled,
  format: 'cjs',
  entryFileNames: '[name].js',
  // One level down: where modules are that look for dist/cli/main.js from their own place.
  chunkFileNames: 'chunks/[name]-[hash].js',
})
await bundle.close()
writeFileSync(join(bundled, 'package.json'), '{ "type": "commonjs" }\n')
writeFileSync(join(bundled, 'LICENSES.txt'), licences(output.flatMap(modulesOf)))
// What tsc made of src/cli is all in the bundle, and nobody imports it by another way.
rmSync(join(dist, 'cli'), { recursive: true })
renameSync(bundled, join(dist, 'cli'))
await bundleFakeAgent(join(dist, 'testing', 'fake-agent', 'main'))

/** Tests start this program thousands of times. `name`: its path without an ending. */
async function bundleFakeAgent(name: string): Promise<void> {
  const program = await rolldown({ input: `${name}.js`, platform: 'node', external: /^node:/ })
  await program.write({ file: `${name}.cjs`, format: 'cjs' })
  await program.close()
  for (const ending of ['js', 'd.ts']) rmSync(`${name}.${ending}`)
}

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
