// The fake agent inside this process, with what the script in front of an agent program does besides: it notes
// each start, and leaves flags out of the help.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { diskFiles } from '../../../src/testing/fake-agent/disk-files.ts'
import { createFakeRunner, type FakeRunner } from '../../../src/testing/index.ts'
import { hiddenFlags } from './program.ts'

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
    probe: async (...probed: Parameters<FakeRunner['probe']>) => {
      const answer = await runner.probe(...probed)
      const hidden = hiddenFlags(probed[0])
      const isShown = (line: string) => !hidden.some(flag => line.includes(flag))
      return { ...answer, text: answer.text.split('\n').filter(isShown).join('\n') }
    },
  })
}
