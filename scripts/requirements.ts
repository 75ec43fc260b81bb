// docs/requirements.md names every requirement; the test titles say which tests show it. This file reads both and compares them.
export interface TextFile {
  readonly path: string
  readonly text: string
}

export interface Requirement {
  readonly id: string
  readonly text: string
}

/** Everything from this heading on is written by `npm run docs`. */
const TESTS_HEADING = '## Tests'

const TESTS_INTRO = 'The test files whose titles carry the id. `npm run docs` writes this list.'

/** Like `C-1`, `T-7a`, `I10` or `S21`. Names such as `UTF-8` and versions do not look like this. */
const ID = /(?<![\w.-])[A-Z]-?\d{1,2}[a-z]?(?![\w-])/g

/** The title of a test or a group: the first text of a call. `)(` opens the call after a table. */
const TITLE =
  /(?:\b(?:test|describe|it)(?:\.\w+)*(?:<[^>]*>)?|[a-z]\w*Case|\))\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g

/** A title in a table: it begins with its ids. */
const TITLE_IN_TABLE = /['"`](?:\d+[a-z]?\. )?((?:[A-Z]-?\d{1,2}[a-z]? )+)(?=[\w`%$])/g

/** The page with its list of tests made new. */
export function requirementsPage(page: string, files: readonly TextFile[]): string {
  const shownBy = testsById(files)
  const lines = requirementsOf(page).flatMap(({ id }) => {
    const paths = shownBy.get(id)
    return paths ? [`- ${id}: ${paths.join(', ')}`] : []
  })
  return `${handWritten(page)}${[TESTS_HEADING, '', TESTS_INTRO, '', ...lines].join('\n')}\n`
}

/** What is wrong between the page and the test titles, one sentence each. */
export function checkRequirements(page: string, files: readonly TextFile[]): readonly string[] {
  const requirements = requirementsOf(page)
  const shownBy = testsById(files)
  const known = new Set(requirements.map(({ id }) => id))
  const twice = requirements.filter(
    ({ id }, index) => requirements.findIndex(other => other.id === id) < index,
  )
  return [
    ...twice.map(({ id }) => `${id} stands twice in docs/requirements.md`),
    ...[...shownBy]
      .filter(([id]) => !known.has(id))
      .map(([id, paths]) => `${id} in a test title of ${paths[0]} is not in docs/requirements.md`),
    ...requirements.flatMap(requirement => checkLine(requirement, shownBy.has(requirement.id))),
  ]
}

function checkLine({ id, text }: Requirement, isShown: boolean): readonly string[] {
  const isForLater = text.startsWith('For later:')
  if (isShown && isForLater) return [`${id} is marked "For later:", but a test carries its id`]
  if (isShown || isForLater) return []
  return [
    `${id} has no test with its id in the title, and its line does not begin with "For later:"`,
  ]
}

export function requirementsOf(page: string): readonly Requirement[] {
  return [...handWritten(page).matchAll(/^- \*\*([A-Z]-?\d+[a-z]?)\*\* (.+)$/gm)].map(
    ([, id = '', text = '']) => ({ id, text }),
  )
}

/** The ids that the titles in a test file carry. */
export function idsInTitles(text: string): ReadonlySet<string> {
  const titles = [...text.matchAll(TITLE)].map(([, a, b, c]) => a ?? b ?? c ?? '')
  const inTables = [...text.matchAll(TITLE_IN_TABLE)].map(([, ids = '']) => ids)
  return new Set([...titles, ...inTables].flatMap(title => title.match(ID) ?? []))
}

function testsById(files: readonly TextFile[]): ReadonlyMap<string, readonly string[]> {
  const found = files.flatMap(({ path, text }) => [...idsInTitles(text)].map(id => ({ id, path })))
  const byId = Map.groupBy(found, ({ id }) => id)
  return new Map([...byId].map(([id, all]) => [id, all.map(({ path }) => path).toSorted()]))
}

function handWritten(page: string): string {
  const end = page.indexOf(`${TESTS_HEADING}\n`)
  return end < 0 ? page : page.slice(0, end)
}
