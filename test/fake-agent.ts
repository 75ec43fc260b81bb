// The fake agent as one program that Node starts several times as fast as its sources.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { fakeAgentExecutable } from '../src/testing/fake-agent/executable.ts'

type Options = { readonly name?: string; readonly version?: string }

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const SOURCE = pathOf('../src/testing/fake-agent/main.ts')
const BUILT = pathOf('../dist/testing/fake-agent/main.js')

/** As `npm run build` has made it. */
export function builtFakeAgent(directory: string, options: Options = {}): Promise<string> {
  return fakeAgentExecutable(directory, { ...options, program: BUILT })
}

let bundled: Promise<string> | undefined

/** From its sources as they are now, for tests that run without a build. */
export async function bundledFakeAgent(directory: string, options: Options = {}): Promise<string> {
  bundled ??= bundle()
  return fakeAgentExecutable(directory, { ...options, program: await bundled })
}

async function bundle(): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'fake-agent-')), 'main.mjs')
  const build = await rolldown({ input: SOURCE, platform: 'node', external: /^node:/ })
  await build.write({ file, format: 'esm' })
  await build.close()
  return file
}
