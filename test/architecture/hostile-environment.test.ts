import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contentOf, differences, layTraps } from '../hostile-environment.ts'

describe('the environment of tests', () => {
  test('is one that leads astray: home, config directories and temporary files are nobody else’s', () => {
    const decoy = process.env.REPRISE_TEST_TRAPS ?? ''
    expect(homedir()).toBe(decoy)
    expect(process.env.CLAUDE_CONFIG_DIR).toBe(join(decoy, '.claude'))
    expect(process.env.REPRISE_HOME).toBe(join(decoy, '.reprise'))
    const own = join(decoy, '..', 'own')
    expect(tmpdir()).toBe(own)
    expect(process.env.NODE_COMPILE_CACHE).toBe(join(own, 'compiled-code'))
  })

  test('shows a program that reads the config of somebody else, and one that writes there', () => {
    const decoy = layTraps(join(mkdtempSync(join(tmpdir(), 'traps-')), 'somebody'))
    const before = contentOf(decoy)
    expect(differences(before, contentOf(decoy))).toEqual([])
    const repository = mkdtempSync(join(tmpdir(), 'repository-'))
    execFileSync('git', ['init', '--quiet', repository])
    execFileSync('git', ['-C', repository, 'status'], {
      env: { PATH: process.env.PATH, HOME: decoy },
    })
    expect(differences(before, contentOf(decoy))).toEqual(['sprung'])
    writeFileSync(join(decoy, '.claude', 'sessions'), '')
    expect(differences(before, contentOf(decoy))).toContain('.claude/sessions')
  })
})
