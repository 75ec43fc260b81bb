// Labels of workers and jobs, as a flag that may be repeated.
import { InvalidArgumentError } from 'commander'
import { isLabel, LABEL_WORDS } from '../../core/job/label.ts'

export function parseLabels(text: string, before: readonly string[] = []): readonly string[] {
  if (!isLabel(text)) throw new InvalidArgumentError(`It must be made of ${LABEL_WORDS}.`)
  return [...before, text]
}
