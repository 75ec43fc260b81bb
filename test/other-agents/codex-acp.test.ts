// The real program of codex-acp under Reprise.
import { agentCases } from '../agents/agent-cases.ts'

agentCases('codex-acp')
