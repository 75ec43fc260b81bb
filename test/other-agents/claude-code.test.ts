// The real program of claude-code under Reprise, in the cases of all agents.
import { agentCases } from '../agents/agent-cases.ts'

agentCases('claude-code')
