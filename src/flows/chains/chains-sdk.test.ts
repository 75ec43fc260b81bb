import { expect, test } from 'vitest'
import { claudeCode } from '../../agents/claude-code.ts'
import { readPolicyFile } from '../../config/read-policy.ts'
import { createReprise } from '../../reprise.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import { createFakeRunner, memoryExecutable } from '../../testing/fake-runner.ts'
import { memoryFiles } from '../../testing/memory-files.ts'

test('E-5 a chain is refused on an agent that talks through the Agent SDK: nobody would ask us before its calls', async () => {
  const files = memoryFiles()
  await files.write('/bin/agent', memoryExecutable())
  await files.makeDirectory('/project')
  const sdk = { query: () => ({}) as never }
  const reprise = createReprise({
    store: sqlite(':memory:'),
    agents: [claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' }, sdk })],
    environment: {},
    dependencies: { runner: createFakeRunner({ files }), files },
  })
  const policy = readPolicyFile(new URL('../../../policies/ops.yaml', import.meta.url).pathname)
  const chain = reprise.chains.start({ policy, prompt: 'check', workDir: '/project' })
  chain.submitted.catch(() => {})
  await expect(chain.result).rejects.toMatchObject({
    code: 'agent-unusable',
    hint: expect.stringContaining('without `sdk`'),
  })
  expect(await reprise.chains.list()).toEqual([])
  await reprise.close()
})
