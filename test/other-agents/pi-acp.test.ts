// The real program of pi-acp under Reprise.
import { acpCases } from '../agents/acp-cases.ts'

acpCases('pi-acp')
