// Facts of an ordinary second turn: its session can be resumed. Tests change the one fact that they are about.
import type { Facts, SessionFacts } from '../src/core/decide/decision.ts'

export const SAMPLE_SESSION: SessionFacts = {
  id: 'ses_1',
  sessionId: 'aaaa',
  pointer: 'confirmed',
  retiredBecause: null,
  workDir: '/project',
  runtime: 'claude 2.1.325',
  lastMessageAt: 1_000,
  fruitlessResumes: 0,
  contextTokens: 20_000,
  file: { state: 'present' },
  heldBy: null,
  relation: { kind: 'same', shared: 2 },
}

export const SAMPLE_FACTS: Facts = {
  gatheredAt: 61_000,
  agent: 'claude-code',
  abilities: {
    resume: true,
    fork: true,
    forkAtMessage: true,
    chooseSessionId: true,
    resumeAcrossWorkDirs: true,
  },
  freshSession: false,
  viewLength: 2,
  workDir: '/project',
  runtime: 'claude 2.1.325',
  contextWindow: 200_000,
  sessions: [SAMPLE_SESSION],
}
