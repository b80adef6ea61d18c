import { expect, test } from 'vitest'
import { markVariable } from '../../../../src/client/check/runs/decoy-browsers.ts'
import {
  detectStep,
  findRenewalCaller,
  parseAfter,
  parseIssued,
  toDetachedEnvironment,
  toRenewalEnvironment,
} from '../../../../src/sources/oauth/progress/to-detached-environment.ts'
import { vendor } from '../../../../src/vendor.ts'

test('the process that signs in gets only the options, the network and the desktop', () => {
  const kept = {
    AWS_PROFILE: 'dev',
    AWS_WEB_IDENTITY_TOKEN_FILE: '/f',
    GATEPASS_PROXY: 'http://p',
    GATEPASS_SECRET: 'the name of a secret',
    GATEPASS_JSON_KEY: 'the name of a member',
    GATEPASS_IDENTITY_TOKEN_FILE: '/f',
    GATEPASS_TOKEN_URL: 'https://login.example/token',
    GATEPASS_BEARER_TOKEN_TYPE: 'access_token',
    GATEPASS_REFRESH_TOKEN_STORE: 'file',
    GATEPASS_EXCHANGE_REQUESTED_TOKEN_TYPE: 'access_token',
    GATEPASS_EXCHANGE_SECRET_VARIABLE: 'the name of a variable',
    HOME: '/h',
    HOSTALIASES: '/aliases',
    https_proxy: 'http://p',
    NODE_EXTRA_CA_CERTS: '/ca',
    DISPLAY: ':0',
    XDG_RUNTIME_DIR: '/run/user/1',
    Path: 'C:\\W',
    SystemRoot: 'C:\\W',
    [markVariable]: 'mark',
  }
  const left = {
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'secret',
    AWS_CONTAINER_AUTHORIZATION_TOKEN: 'secret',
    [vendor.apiKeyVariable]: 'secret',
    [vendor.manualRunVariable]: '1',
    GATEPASS_API_KEY: 'secret',
    GATEPASS_CLIENT_SECRET: 'secret',
    GATEPASS_PASSWORD: 'secret',
    gatepass_token: 'secret',
    NODE_OPTIONS: '--inspect',
    LD_PRELOAD: '/evil.so',
    DATABASE_PASSWORD: 'secret',
  }
  const env = toDetachedEnvironment({ ...kept, ...left }, 'start', 7)
  const { GATEPASS_SIGN_IN_STEP: _step, GATEPASS_SIGN_IN_AFTER: _after, ...rest } = env
  expect(rest).toEqual({ ...kept, [vendor.contextVariable]: 'interactive' })
})

test('the process that signs in is told its step, and after which one it comes', () => {
  const first = toDetachedEnvironment({}, 'start', 7)
  const second = toDetachedEnvironment(first, 'hold')
  expect([first, second].map((env) => [detectStep(env), parseAfter(env)])).toEqual([
    ['start', 7],
    ['hold', 7],
  ])
})

test('the process that renews gets the same in a context in which nobody is asked', () => {
  const session = {
    HOME: '/h',
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/b',
    HTTPS_PROXY: 'http://p',
    AWS_CA_BUNDLE: '/ca',
  }
  const given = {
    ...session,
    GATEPASS_SIGN_IN_STEP: 'hold',
    [markVariable]: 'mark',
    AWS_SESSION_TOKEN: 'secret',
    [vendor.contextVariable]: 'interactive',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  }
  const renewal = { issued: 7, caller: '01234567' }
  const { GATEPASS_RENEWAL_ISSUED: _, GATEPASS_RENEWAL_CALLER: _caller, ...env } = toRenewalEnvironment(given, renewal)
  expect(env).toEqual({ ...session, [vendor.contextVariable]: 'background', NODE_TLS_REJECT_UNAUTHORIZED: '0' })
})

test('the process that renews is told of which token, and for whom', () => {
  const environments = [toRenewalEnvironment({}, { issued: 7, caller: '01234567' }), {}]
  expect(environments.map((env) => [parseIssued(env), findRenewalCaller(env)])).toEqual([
    [7, '01234567'],
    [undefined, undefined],
  ])
})

test('a command of a person is not a step of a run', () => {
  expect([detectStep({}), detectStep({ GATEPASS_SIGN_IN_STEP: 'x' }), parseAfter({})]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
