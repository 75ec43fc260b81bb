// The fake agent inside this process, with what the script in front of an agent program does besides: it notes each start.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { diskFiles } from '../../../src/testing/fake-agent/disk-files.ts'
import { createFakeRunner, type FakeRunner } from '../../../src/testing/index.ts'

export function inProcessRunner(root: string): FakeRunner {
  const runner = createFakeRunner({ files: diskFiles(), hangs: 'until-stopped' })
  const before = join(root, 'before-start')
  return Object.assign(Object.create(runner) as FakeRunner, {
    start: async (...started: Parameters<FakeRunner['start']>) => {
      const [{ args }, runId] = started
      appendFileSync(join(root, 'starts'), `${[runId, ...args, ''].join('\n')}\n`)
      if (existsSync(before)) {
        renameSync(before, `${before}.done`)
        execFileSync('/bin/sh', [`${before}.done`])
      }
      return runner.start(...started)
    },
  })
}
