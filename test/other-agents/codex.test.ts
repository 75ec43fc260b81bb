// The real program of codex under Reprise, in the cases of all agents.
import { agentCases } from '../agents/agent-cases.ts'

agentCases('codex')
