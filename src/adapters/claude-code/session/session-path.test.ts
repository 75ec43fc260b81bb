import { describe, expect, test } from 'vitest'
import { memoryFiles } from '../../../testing/memory-files.ts'
import { projectName, sessionPath } from './session-path.ts'

const place = (env: Readonly<Record<string, string>>, workDir = '/home/dev/a_b') => ({
  sessionId: 's1',
  workDir,
  env,
})

describe('the folder of a project', () => {
  test('has a dash for all but letters and digits', () => {
    expect(projectName('/home/dev/My_proj.é x')).toBe('-home-dev-My-proj---x')
  })

  test('is cut after 200 characters and gets a hash, as the program does it', () => {
    const long = `/tmp/reprise-long-path/${'d'.repeat(120)}/${'é-ü_x.y '.repeat(12)}`
    const name = projectName(long)
    expect(name.slice(0, 22)).toBe('-tmp-reprise-long-path')
    expect(name.slice(200)).toBe('-bl4rg8')
    // The hash of this one is negative.
    expect(projectName(`/tmp/reprise-long-b/${'e'.repeat(200)}`).slice(200)).toBe('-g62v3k')
  })
})

describe('the file of a session', () => {
  const files = memoryFiles()

  test('is in the config dir, or in the home', async () => {
    expect(await sessionPath(place({ HOME: '/home/dev', CLAUDE_CONFIG_DIR: '/cfg' }), files)).toBe(
      '/cfg/projects/-home-dev-a-b/s1.jsonl',
    )
    expect(await sessionPath(place({ HOME: '/home/dev' }), files)).toBe(
      '/home/dev/.claude/projects/-home-dev-a-b/s1.jsonl',
    )
    expect(await sessionPath(place({}), files)).toBeNull()
  })

  test('is found in the folder of another work dir', async () => {
    const elsewhere = '/cfg/projects/-other/s1.jsonl'
    const away = memoryFiles()
    await away.write('/cfg/projects/-other/s2.jsonl', '')
    await away.write(elsewhere, '')
    expect(await sessionPath(place({ CLAUDE_CONFIG_DIR: '/cfg' }), away)).toBe(elsewhere)
  })
})
