// What the runner relies on when it starts an agent before its watcher: without its prompt an agent does nothing.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { realAgentEnv, startModelApi, textReply } from '../../src/testing/index.ts'
import { ProgramDirectory, REAL_VERSIONS } from '../scenarios/program.ts'

const ARGS = ['--print', '--output-format', 'stream-json', '--verbose', '--input-format']

test.each(REAL_VERSIONS)('U-3 %s ends by itself when its prompt never comes', async version => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-unprompted-')))
  const api = await startModelApi()
  try {
    api.respond(() => textReply('nobody asked'))
    const program = await new ProgramDirectory(root, version).path('usual')
    const child = spawn(program, [...ARGS, 'stream-json'], {
      cwd: root,
      env: realAgentEnv({ api, home: root }),
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.stdin.destroy()
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(api.turns).toEqual([])
  } finally {
    await api.close()
    rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  }
})
