// A run as an adapter gets it, and the program that it is for. Tests change what they are about.
import type { RunSpec, Runtime } from '../src/adapters/adapter.ts'

export const RUNTIME: Runtime = {
  agent: 'claude-code',
  executable: '/bin/claude',
  version: '2.1.325',
  abilities: {
    ...{ resume: true, fork: true, forkAtMessage: true },
    ...{ chooseSessionId: true, resumeAcrossWorkDirs: true },
  },
  quirks: [],
  warning: null,
  fingerprint: 'f',
}

export const RUN_SPEC: RunSpec = {
  runId: 'run_1',
  continuation: { kind: 'new', sessionId: null },
  prompt: 'go on',
  workDir: '/project',
  model: null,
  permissionMode: 'default',
  allowedTools: [],
  disallowedTools: [],
  instructionsFile: null,
  asks: false,
  parkFiles: {},
  trust: 'project',
  contextDir: null,
  env: {},
}
