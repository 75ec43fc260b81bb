// A difference of one file, with line numbers and counts.

import { countsOf, type DiffLine } from '../../src/core/calls/diff-lines.ts'
import { Icon } from '../parts/icon.tsx'

const SIGNS: Record<DiffLine['kind'], string> = { same: '', added: '+', removed: '-', gap: '…' }

type DiffProps = { readonly path: string; readonly lines: readonly DiffLine[] }

export function Diff({ path, lines }: DiffProps) {
  const { added, removed } = countsOf(lines)
  const isNumbered = lines.some(({ number }) => number !== null)
  return (
    <figure class="diff" aria-label={`Changes of ${path}`}>
      <header>
        <Icon name="edit" />
        <span class="mono">{path}</span>
        <span class="end mono">
          <span class="ok">+{added}</span> <span class="bad">-{removed}</span>
        </span>
      </header>
      <div class={isNumbered ? 'diff-lines' : 'diff-lines unnumbered'} tabIndex={0}>
        {lines.map(({ kind, number, text }, index) => (
          <div key={index} class={`diff-line ${kind}`}>
            <span>{number}</span>
            <span>{SIGNS[kind]}</span>
            <span>{text}</span>
          </div>
        ))}
      </div>
    </figure>
  )
}
