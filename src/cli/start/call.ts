// The types of verbs, and of the function that loads a verb when it is called.
import type { Io } from './io.ts'

export type Verb<Input extends readonly unknown[]> = (io: Io, ...input: Input) => Promise<number>

export type VerbCall = <Input extends readonly unknown[]>(
  load: () => Promise<Verb<Input>>,
) => (...input: Input) => Promise<void>
