// The routes that report: the caller, agents, savings, health, metrics; part of ROUTES.
import { z } from '@hono/zod-openapi'
import { id, pageOf } from '../fields.ts'
import {
  agentSchema,
  healthSchema,
  meSchema,
  savingsReportSchema,
  stoppingSchema,
  workerSchema,
} from '../report.ts'
import { idsQuery, savingsQuery, stopSchema } from '../requests.ts'
import { body, errors, json, route } from './route.ts'

export const REPORT_ROUTES = {
  me: route({
    method: 'get',
    path: '/api/me',
    scope: 'read',
    summary: 'Who the caller is to the daemon and what it may do, with the version of the daemon',
    responses: { 200: json(meSchema, 'The caller'), ...errors },
  }),
  listAgents: route({
    method: 'get',
    path: '/api/agents',
    scope: 'read',
    summary: 'List agents: whether they were found, version, abilities, quirks in force',
    responses: { 200: json(pageOf(agentSchema), 'All agents'), ...errors },
  }),
  listWorkers: route({
    method: 'get',
    path: '/api/workers',
    scope: 'read',
    summary: 'List the processes that work on jobs, on all hosts: what they offer, load, last beat',
    responses: { 200: json(pageOf(workerSchema), 'All workers'), ...errors },
  }),
  findIds: route({
    method: 'get',
    path: '/api/ids',
    scope: 'read',
    summary: 'Find ids by their beginning, in order; the id itself comes first',
    request: { query: idsQuery },
    responses: { 200: json(pageOf(id), 'Ids'), ...errors },
  }),
  savings: route({
    method: 'get',
    path: '/api/savings',
    scope: 'read',
    summary: 'Measured tokens and cost against the cold-start estimate',
    request: { query: savingsQuery },
    responses: { 200: json(savingsReportSchema, 'The report'), ...errors },
  }),
  health: route({
    method: 'get',
    path: '/health',
    scope: null,
    summary: 'Health of the daemon; the only route without a token',
    responses: { 200: json(healthSchema, 'Well'), 503: json(healthSchema, 'Not well') },
  }),
  stop: route({
    method: 'post',
    path: '/api/stop',
    scope: 'admin',
    summary:
      'Stop the daemon: it takes no new work, lets running turns end for `drainMs`, then interrupts them',
    request: { body: body(stopSchema) },
    responses: { 202: json(stoppingSchema, 'It stops now'), ...errors },
  }),
  metrics: route({
    method: 'get',
    path: '/metrics',
    scope: 'read',
    summary: 'Metrics in the text format of Prometheus',
    responses: {
      200: { content: { 'text/plain': { schema: z.string() } }, description: 'Figures' },
      ...errors,
    },
  }),
} as const
