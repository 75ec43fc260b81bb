// The real program of copilot under Reprise.
import { agentCases } from '../agents/agent-cases.ts'

agentCases('copilot')
