// The fake agent as `npm run build` has made it: Node starts it several times as fast as from its sources.
import { fileURLToPath } from 'node:url'
import { fakeAgentExecutable } from '../src/testing/fake-agent/executable.ts'

const BUILT = fileURLToPath(new URL('../dist/testing/fake-agent/main.js', import.meta.url))

export function builtFakeAgent(
  directory: string,
  options: { readonly name?: string; readonly version?: string } = {},
): Promise<string> {
  return fakeAgentExecutable(directory, { ...options, program: BUILT })
}
