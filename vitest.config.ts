import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// unit: seconds, beside their files. The rest starts real programs and takes minutes.
// A test ends by itself. The limits are for one that hangs, and wide enough for a machine with ten times as much to do.
const project = (name: string, include: string[], timeoutMs = 300_000) => ({
  test: {
    name,
    include,
    globalSetup: 'test/hostile-environment.ts',
    // These files share nothing that changes, and a process for each takes longer than most of them.
    isolate: false,
    testTimeout: timeoutMs,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: timeoutMs,
  },
})

const UNIT = ['{src,web}/**/*.test.ts', 'test/{architecture,patterns,redaction,agents}/*.test.ts']
/** These are about processes and what they leave behind. */
const ALONE = ['src/runner/**/*.test.ts', 'test/patterns/*.test.ts']

/** The files that take longest, so that no worker is busy with one of them when the others have nothing left to do. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ project: { name } }: TestSpecification) => name === 'real-agents'
    return (await super.sort(files)).toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)))
  }
}

export default defineConfig({
  test: {
    // Tests wait for other processes more than half of the time, so one worker per core does not keep the cores busy.
    maxWorkers: availableParallelism() * 3,
    sequence: { sequencer: LongFilesFirst },
    projects: [
      { test: { ...project('unit', UNIT).test, exclude: ALONE } },
      { test: { ...project('unit-alone', ALONE).test, isolate: true } },
      project('conformance', ['test/{conformance,simulated}/**/*.test.ts']),
      project('e2e', ['test/e2e/**/*.test.ts']),
      {
        test: {
          ...project('faults', ['test/{faults,upgrades}/**/*.test.ts'], 600_000).test,
          isolate: true,
        },
      },
      project('real-agents', ['test/real-agents/*.test.ts']),
    ],
  },
})
