// Nothing of OpenTelemetry is loaded unless the user switched it on; then it is the copy that the user's module uses.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadApi } from './load-api.ts'

const PROGRAM = fileURLToPath(new URL('../../test/telemetry/loaded-modules.ts', import.meta.url))
const loadedWhen = (telemetry: boolean): readonly string[] =>
  JSON.parse(execFileSync(process.execPath, [PROGRAM, String(telemetry)], { encoding: 'utf8' }))

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reprise-telemetry-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

test('O-7 without telemetry, nothing of it is loaded but the silence', () => {
  expect(loadedWhen(false)).toEqual(['tracing.ts'])
  expect(loadedWhen(true)).toEqual(expect.arrayContaining(['open-telemetry.ts', 'index.mjs']))
})

function writeModule(text: string): string {
  const module = join(directory, 'register.mjs')
  writeFileSync(module, text)
  return module
}

test('O-7 the module of the user is loaded, with the copy of the interface beside it', async () => {
  const beside = join(directory, 'node_modules', '@opentelemetry', 'api')
  mkdirSync(beside, { recursive: true })
  writeFileSync(join(beside, 'index.js'), 'exports.isTheirs = true')
  const module = writeModule(
    'globalThis.registered = 1; export const shutdown = async () => { globalThis.registered = 2 }',
  )
  const { api, shutdown } = await loadApi({ module })
  expect(api).toMatchObject({ isTheirs: true })
  expect(Reflect.get(globalThis, 'registered')).toBe(1)
  await shutdown()
  expect(Reflect.get(globalThis, 'registered')).toBe(2)
})

test('O-7 a module without the interface beside it and without a shutdown works with ours', async () => {
  const { api, shutdown } = await loadApi({ module: writeModule('') })
  expect(api.trace.getTracer).toBeTypeOf('function')
  await shutdown()
})

test.each([
  ['a relative path', () => 'register.mjs', 'not absolute'],
  ['a missing file', () => '/nowhere/register.mjs', 'Cannot find module'],
  ['a module that throws', () => writeModule('throw new Error("no collector")'), 'no collector'],
])('O-7 %s is refused with what to set', async (_, path, why) => {
  await expect(loadApi({ module: path() })).rejects.toMatchObject({
    code: 'bad-config',
    message: expect.stringContaining(why),
    hint: expect.stringContaining('REPRISE_TELEMETRY_MODULE'),
  })
})
