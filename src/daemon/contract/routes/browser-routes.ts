// The routes for browsers and for the description of the API; part of ROUTES.
import { z } from '@hono/zod-openapi'
import { time } from '../fields.ts'
import { assetParams, emptySchema, loginQuery, loginSchema } from '../requests.ts'
import { body, errors, json, route } from './route.ts'

/** `path` is relative to the daemon's own address. */
export const invitationSchema = z.object({ path: z.string(), expiresAt: time }).openapi('Login')

/** Addresses of the dashboard: each gives the same document, which shows what the address names. */
export const PAGE_PATHS = [
  '/threads',
  '/threads/:id',
  '/runs/:id',
  '/chains',
  '/chains/:id',
  '/jobs',
  '/jobs/:id',
  '/live',
  '/savings',
  '/sessions',
  '/agents',
] as const

const html = {
  content: { 'text/html': { schema: z.string() } },
  description: 'The page',
} as const

export const BROWSER_ROUTES = {
  createLogin: route({
    method: 'post',
    path: '/api/logins',
    scope: 'admin',
    summary: 'Create a path that signs one browser in, once, within a minute',
    request: { body: body(loginSchema) },
    responses: { 201: json(invitationSchema, 'Open it in a browser'), ...errors },
  }),
  login: route({
    method: 'get',
    path: '/login',
    scope: null,
    summary: 'Sign a browser in with a code: sets a cookie and goes on to the page',
    request: { query: loginQuery },
    responses: { 303: { description: 'Signed in; a second time 401' }, ...errors },
  }),
  logout: route({
    method: 'post',
    path: '/api/logout',
    scope: 'read',
    summary: 'Sign this browser out',
    request: { body: body(emptySchema) },
    responses: { 204: { description: 'Signed out' }, ...errors },
  }),
  home: route({
    method: 'get',
    path: '/',
    scope: 'read',
    page: true,
    summary: 'The dashboard, for a browser that has signed in',
    responses: { 200: html, ...errors },
  }),
  asset: route({
    method: 'get',
    path: '/assets/{name}',
    scope: 'read',
    page: true,
    summary: 'A script or a style of the dashboard',
    request: { params: assetParams },
    responses: { 200: { description: 'The file' }, ...errors },
  }),
  openApi: route({
    method: 'get',
    path: '/openapi.json',
    scope: 'read',
    page: true,
    summary: 'This contract as an OpenAPI 3.1 document',
    responses: {
      200: json(z.unknown(), 'The document'),
      ...errors,
    },
  }),
  docs: route({
    method: 'get',
    path: '/docs',
    scope: 'read',
    page: true,
    summary: 'The routes on a page for people',
    responses: { 200: html, ...errors },
  }),
} as const
