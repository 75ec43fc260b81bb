import { execFile } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ServeWorld } from '../daemon/serve-world.ts'

const TOOLS = fileURLToPath(new URL('../../generated-client', import.meta.url))

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
})
afterEach(() => world.closeAll())

async function node(...args: string[]): Promise<string> {
  const env = { ...process.env, TOKEN: world.token }
  return (await promisify(execFile)(process.execPath, args, { env, cwd: world.root })).stdout
}

test('T-10 a client made by somebody else’s generator holds a conversation', async () => {
  const { url } = await world.serve()
  const document = world.path('openapi.json')
  writeFileSync(document, await (await world.request(url, '/openapi.json')).text())
  const checked = await node(join(TOOLS, 'generate.js'), document, world.path('client'))
  expect(JSON.parse(checked)).toEqual({ valid: true, version: '3.1', errors: [] })

  const program = world.path('conversation.ts')
  copyFileSync(join(TOOLS, 'conversation.ts'), program)
  writeFileSync(world.path('package.json'), '{"type":"module"}')
  // Its types hold too: what the document says about answers is enough to work with them.
  const compiler = join(TOOLS, 'node_modules/typescript/bin/tsc')
  const types = ['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions']
  const target = ['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom,dom.iterable']
  const node24 = [
    '--typeRoots',
    fileURLToPath(new URL('../../../node_modules/@types', import.meta.url)),
  ]
  await node(compiler, ...types, ...target, ...node24, '--types', 'node', program)

  const said = JSON.parse(await node(program, url, world.workDir))
  expect(said).toMatchObject({
    action: 'resume',
    guards: expect.arrayContaining(['history-shared: pass', 'session-confirmed: pass']),
    words: expect.stringContaining('session'),
    texts: ['hello', 'echo: hello', 'and more', 'echo: and more'],
    runs: 2,
    refused: 'bad-input',
    streamed: ['echo: hello', 'echo: and more'],
  })
})
