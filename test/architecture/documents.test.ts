// README stays short, the index of docs/ leads to every page, and no link of a document leads nowhere.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = globSync(['*.md', 'docs/*.md', 'bench/*.md', 'src/*.md', 'web/*.md', 'test/*.md'], {
  cwd: root,
})
const read = (page: string) => readFileSync(join(root, page), 'utf8')

/** Targets of links and pictures inside the repository, without code. */
function linksOf(text: string): readonly string[] {
  const prose = text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '')
  const targets = [...prose.matchAll(/(?:\]\(|\bsrc(?:set)?=")([^)\s"]+)/g)].map(
    ([, to = '']) => to,
  )
  return targets.filter(to => !/^(?:[a-z]+:|#)/.test(to))
}

test('U-1 README has at most 150 lines, and shows a picture', () => {
  const text = read('README.md')
  expect(text.split('\n').length).toBeLessThanOrEqual(150)
  expect(linksOf(text).filter(to => to.endsWith('.png')).length).toBeGreaterThan(0)
})

test('U-1 the index of docs/ leads to every page of it', () => {
  const listed = linksOf(read('docs/README.md'))
  const pages = PAGES.filter(page => page.startsWith('docs/')).map(page => page.slice(5))
  expect(pages.filter(page => page !== 'README.md' && !listed.includes(page))).toEqual([])
})

test('U-1 every link and picture of a document leads to a file', () => {
  const lost = PAGES.flatMap(page =>
    linksOf(read(page))
      .filter(to => !existsSync(join(root, dirname(page), to.replace(/#.*/, ''))))
      .map(to => `${page}: ${to}`),
  )
  expect(lost).toEqual([])
})
