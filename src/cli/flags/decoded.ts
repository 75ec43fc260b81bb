// Decodes bytes as UTF-8 and refuses others: a guess could change words without anybody noticing.
import { RepriseError } from '../../errors.ts'

export function decoded(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new RepriseError(
      'bad-input',
      `${source} is not UTF-8`,
      'convert it (`iconv -f LATIN1 -t UTF-8`); binary data goes into a file that the prompt names',
      error,
    )
  }
}
