import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { RepriseError } from '../errors.ts'
import { systemRandom } from './real-world.ts'
import { DEFAULT_LIMITS } from './runner.ts'
import { createRunner } from './start.ts'

const runner = createRunner()
const scratch = mkdtempSync(join(tmpdir(), 'reprise-start-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

describe('U-4 an agent that cannot start says why', () => {
  const plain = join(scratch, 'plain')
  writeFileSync(plain, 'hello\n')
  const garbage = join(scratch, 'garbage')
  writeFileSync(garbage, 'echo a shell would run this\n')
  chmodSync(garbage, 0o755)
  const orphan = join(scratch, 'orphan')
  writeFileSync(orphan, '#!/nonexistent/interpreter\n')
  chmodSync(orphan, 0o755)
  const here = { file: '/bin/true', workDir: scratch }
  const linked = join(scratch, 'linked')
  symlinkSync(tmpdir(), linked)

  test.each([
    ['a missing executable', { ...here, file: '/nonexistent/agent' }, 'agent-missing'],
    ['a file that is not executable', { ...here, file: plain }, 'agent-unusable'],
    ['a directory as executable', { ...here, file: scratch }, 'agent-unusable'],
    ['an executable text without interpreter', { ...here, file: garbage }, 'agent-unusable'],
    ['a script whose interpreter is missing', { ...here, file: orphan }, 'agent-unusable'],
    ['a missing work dir', { ...here, workDir: join(scratch, 'none') }, 'bad-input'],
    ['S14 a link that took the place of the work dir', { ...here, workDir: linked }, 'bad-input'],
    ['a file as work dir', { ...here, workDir: plain }, 'bad-input'],
    ['a work dir with a NUL', { ...here, workDir: 'a\0b' }, 'bad-input'],
  ])('%s', async (_, { file, workDir }, code) => {
    const command = { file, args: [], env: {}, workDir, stdin: new Uint8Array() }
    const failed = await runner.start(command, systemRandom.id('run'), DEFAULT_LIMITS).catch(e => e)
    expect(failed).toBeInstanceOf(RepriseError)
    expect(failed.code).toBe(code)
    expect(failed.hint).not.toBe('')
  })

  test('an argument longer than the system takes', async () => {
    const command = { ...here, args: ['x'.repeat(200_000)], env: {}, stdin: new Uint8Array() }
    const started = runner.start(command, systemRandom.id('run'), DEFAULT_LIMITS)
    await expect(started).rejects.toMatchObject({ code: 'bad-input' })
  })

  test('a marker that is not a plain name is refused', async () => {
    const command = { ...here, args: [], env: {}, stdin: new Uint8Array() }
    await expect(runner.start(command, 'a b', DEFAULT_LIMITS)).rejects.toMatchObject({
      code: 'bad-input',
    })
    await expect(runner.endLeftovers('')).rejects.toMatchObject({ code: 'bad-input' })
  })
})
