// Prints the tour: numbered steps, each with the command that a user would type and its result, wrapped to the width.
import type { Run } from '../../core/run/run.ts'
import { type Io, paint } from '../start/io.ts'
import { cut, printLine } from '../view/print.ts'
import { sanitise } from '../view/sanitise.ts'

export type DemoStep = {
  readonly part: 'chat' | 'escalation' | 'job'
  readonly title: string
  /** The command as a user would type it. */
  readonly command: string
  /** How its last run continued. */
  readonly decision: string | null
  readonly words: string | null
  readonly runs: readonly StepRun[]
  /** The sum over its runs; null for a step without runs. */
  readonly costUsd: number | null
}

export type StepRun = Pick<Run, 'id' | 'status' | 'tier' | 'attempt' | 'costUsd'> & {
  readonly decision: string | null
}

export type DemoPage = {
  readonly steps: readonly DemoStep[]
  heading(text: string): void
  paragraph(text: string): void
  /** Prints `body` unchanged, line by line. */
  step(step: DemoStep, body: readonly string[]): void
  /** For code that prints by itself: indents and wraps its output. */
  readonly inset: Io
}

const INDENT = '   '
const WIDEST = 116

export function createPage(io: Io): DemoPage {
  const width = Math.min(io.stdout.columns ?? WIDEST, WIDEST)
  const bold = paint(io, io.stdout, 'bold')
  const dim = paint(io, io.stdout, 'dim')
  const steps: DemoStep[] = []
  const lines = (text: string, indent: string): readonly string[] =>
    wrapped(sanitise(text), width - indent.length).map(line => indent + line)
  const paragraph = (text: string) => {
    for (const line of lines(text, '')) printLine(io, line)
  }
  return {
    steps,
    heading: text => printLine(io, `\n${bold(text)}`),
    paragraph,
    step(step, body) {
      steps.push(step)
      const number = `${steps.length}. `
      const [first = '', ...more] = wrapped(step.title, width - INDENT.length)
      printLine(io, `\n${bold(number.padEnd(INDENT.length) + first)}`)
      for (const line of more) printLine(io, bold(INDENT + line))
      printLine(io, `\n${INDENT}$ ${step.command}`)
      for (const line of body) printLine(io, cut(`${INDENT}${sanitise(line)}`.trimEnd(), width))
      if (step.words === null) return
      for (const line of lines(`why: ${step.words}`, INDENT)) printLine(io, dim(line))
    },
    inset: { ...io, stdout: { ...io.stdout, isTTY: false, write: insetWriter(io, width) } },
  }
}

function insetWriter(io: Io, width: number): (text: string) => void {
  return text => {
    for (const line of text.replace(/\n$/, '').split('\n')) {
      for (const part of hanging(line, width - INDENT.length)) {
        printLine(io, `${INDENT}${part}`.trimEnd())
      }
    }
  }
}

/** Wraps a long line and indents the rest under its text, also when the line begins with a mark and a name. */
function hanging(line: string, width: number): readonly string[] {
  const [, head = '', rest = line] = /^([✓✗?] \S+ {1,200})(.*)$/.exec(line) ?? []
  const [first = '', ...more] = wrapped(rest, width - head.length)
  return [head + first, ...more.map(text => ' '.repeat(head.length) + text)]
}

/** Breaks at spaces; a word that is longer than a line stays whole. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return lines
}
