// The real program of claude-agent-acp under Reprise.
import { agentCases } from '../agents/agent-cases.ts'

agentCases('claude-agent-acp')
