import { expect, test } from 'vitest'
import { blocksOf, commandsOf, fileNameOf } from './page-blocks.ts'
import { differs } from './shown-output.ts'

const PAGE = `# A page

\`\`\`sh
# a comment alone is no command
reprise serve &   # in the background
reprise jobs submit \\
  --timeout 30m 'x'
cat > a.txt <<'EOF'
one
EOF
reprise chains show nothing  # exit 3: there is none
\`\`\`

\`\`\`console
$ reprise send "hello"
echo: hello
thread thr_aaaaaaaaaaaaaaaa · 3,013 in
$ reprise threads
\`\`\`

\`\`\`yaml
# ops.yaml
name: ops
\`\`\`
`

test('commands are found with their lines, over several lines, with what they show and how they end', () => {
  const [shell, shown, file] = blocksOf(PAGE)
  if (!shell || !shown || !file) throw new Error('three blocks')
  expect(commandsOf(shell).map(({ line, exitCode }) => [line, exitCode])).toEqual([
    [5, 0],
    [6, 0],
    [8, 0],
    [11, 3],
  ])
  expect(commandsOf(shell)[2]?.text).toBe("cat > a.txt <<'EOF'\none\nEOF")
  expect(commandsOf(shown)).toEqual([
    {
      line: 15,
      text: 'reprise send "hello"',
      exitCode: 0,
      shows: 'echo: hello\nthread thr_aaaaaaaaaaaaaaaa · 3,013 in',
    },
    { line: 18, text: 'reprise threads', exitCode: 0, shows: null },
  ])
  expect(fileNameOf(file)).toBe('ops.yaml')
  expect(fileNameOf(shell)).toBeNull()
})

test.each([
  ['run run_aaaaaaaa · 3,013 in', 'run run_bbbbbbbbbbbbbbbb · 12 in\n', null],
  ['a run_aaaaaaaa, b run_aaaaaaaa', 'a run_bbbb, b run_cccc', 'was run_bbbb and is now'],
  ['two\n   words', 'two words', null],
  ['a … b\n  … and more\nz', 'a x y b\nc\nd\nz', null],
  ['resume · 12 in', 'replay · 12 in', 'but this was printed'],
  ['total $0.0185', 'total $1', null],
])('%j against %j: %s', (shown, printed, problem) => {
  const difference = differs(shown, printed, new Map())
  if (problem === null) expect(difference).toBeNull()
  else expect(difference).toContain(problem)
})
