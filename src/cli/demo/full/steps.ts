// Short names for what the agents of the full demo do.
import type { Usage } from '../../../core/run/events.ts'
import type { ScriptStep } from '../../../testing/fake-agent/script.ts'

export function said(words: string): ScriptStep {
  return { type: 'text', text: words }
}

export function readCall(file: string, result: string): ScriptStep {
  return { type: 'tool', name: 'Read', input: { file_path: file }, result }
}

export function grepCall(pattern: string, result: string): ScriptStep {
  return { type: 'tool', name: 'Grep', input: { pattern, output_mode: 'content' }, result }
}

export function bashCall(command: string, result: string): ScriptStep {
  return { type: 'tool', name: 'Bash', input: { command }, result }
}

/** A command that ends with an error. */
export function failedCall(command: string, result: string): ScriptStep {
  return { type: 'tool', name: 'Bash', input: { command }, result, isError: true }
}

/** A command that a rule or a person refused. */
export function refusedCall(command: string): ScriptStep {
  return { type: 'tool', name: 'Bash', input: { command }, denied: true }
}

export function editCall(file: string, before: string, after: string): ScriptStep {
  const input = { file_path: file, old_string: before, new_string: after }
  return { type: 'tool', name: 'Edit', input, result: `The file ${file} has been updated.` }
}

export function writeCall(file: string, content: string): ScriptStep {
  const input = { file_path: file, content }
  return { type: 'tool', name: 'Write', input, result: `File created successfully at: ${file}` }
}

/** The same call, which waits for the permission of a person. */
export function withPermission(step: ScriptStep): ScriptStep {
  return step.type === 'tool' ? { ...step, asks: true } : step
}

/** Tokens that a run reads from the cache, writes to it, and says. */
export function tokens(
  cacheReadTokens: number,
  cacheWriteTokens: number,
  outputTokens: number,
): Usage {
  return { inputTokens: 14, cacheReadTokens, cacheWriteTokens, outputTokens }
}
