import { expect, test } from 'vitest'
import { toHeaderRules } from '../../src/contract/client-headers.ts'
import { chooseHeaders } from '../../src/helper/choose-headers.ts'
import type { CommonOptions } from '../../src/helper/options/every-helper-options.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import { expandHeaders, type HeaderTemplate, splitWanted } from '../../src/runtime/tokens/header-facts.ts'

const facts = ['account', 'role_name', 'claims.NAME']
const known = '{account}, {role_name}, {claims.NAME}'
const unset = {
  format: 'json',
  'no-headers': false,
  'allow-header': undefined,
  'second-helper': undefined,
  'second-command': [],
  'second-option': [],
} as const

function choose(header: string[], own: Partial<CommonOptions> = {}, known = facts): readonly HeaderTemplate[] {
  const options = { ...unset, ...own, header } as unknown as CommonOptions // nothing else is read
  return chooseHeaders('tool', options, known).templates
}

const parse = (...texts: string[]) => choose(texts)

test.each<[text: string, template: HeaderTemplate]>([
  ['X-Team: core', { name: 'X-Team', value: 'core' }],
  ['X-Team:core', { name: 'X-Team', value: 'core' }],
  ['  X-Team  :  core  ', { name: 'X-Team', value: 'core' }],
  ['X-Url: https://host:1/', { name: 'X-Url', value: 'https://host:1/' }],
  ['X-Empty:', { name: 'X-Empty', value: '' }],
  ['X-Team: {account}', { name: 'X-Team', value: '{account}' }],
  ['X-Json: {"a":{}}', { name: 'X-Json', value: '{"a":{}}' }],
])('%j is a header', (text, template) => {
  expect(parse(text)).toEqual([template])
})

const own = 'remove the headers that the client sends itself'
const shape = `write each header as 'Name: value'; see: tool --help`
test.each<[texts: string[], message: string, hint: string]>([
  [['Authorization: sk-1'], 'header: "Authorization" belongs to the client and cannot be set', own],
  [['X-A: 1', 'X-Team sk-1'], 'header: one of them has no colon', shape],
  [[': sk-1'], 'header: "" is not a header name (RFC 9110 token)', shape],
  [['X-A: 1', 'x-a: 2'], 'header: "X-A" and "x-a" differ in case only', shape],
  [['X-A: 1', 'X-A: 2'], 'header: "X-A" is given twice', shape],
  [['X-A: a\nb'], 'header: the value of "X-A" has a character beyond visible ASCII and spaces', shape],
  [['X-A: {team}'], `header: "X-A" asks for {team}, but this helper knows only ${known}`, shape],
  [['X-A: {Account}'], `header: "X-A" asks for {Account}, but this helper knows only ${known}`, shape],
  [['X-A: {claims}'], `header: "X-A" asks for {claims}, but this helper knows only ${known}`, shape],
  [['X-A: {account.id}'], `header: "X-A" asks for {account.id}, but this helper knows only ${known}`, shape],
  [
    ['Host: h', 'X-A: {team} {x}'],
    'header: "Host" belongs to the client and cannot be set; ' +
      `"X-A" asks for {team}, but this helper knows only ${known}; ` +
      `"X-A" asks for {x}, but this helper knows only ${known}`,
    own,
  ],
])('%j are a usage error that names all problems at once', (texts, message, hint) => {
  expect(() => parse(...texts)).toThrow(new HelperError('usage', message, hint))
})

test('a template is refused with a helper that has no facts', () => {
  expect(() => choose(['X-A: {claims.sub}'], {}, [])).toThrow(
    new HelperError('usage', 'header: "X-A" asks for {claims.sub}, but this helper knows no facts', shape),
  )
})

test('the facts that templates ask for are listed as they are written', () => {
  const templates = parse(
    'X-A: {account}{claims.sub} {claims[https://sts.amazonaws.com/].org-id}',
    'X-B: {claims["a b"].c[d]} {"a":{"b":1}} {A1B2-C3} {}',
  )
  expect(splitWanted(templates)).toEqual({
    first: ['account', 'claims.sub', 'claims[https://sts.amazonaws.com/].org-id', 'claims["a b"].c[d]'],
    second: [],
  })
})

test('the facts of the second token are listed without their prefix', () => {
  const templates = choose(['X-A: {account} {second.token}', 'X-B: {second.claims.sub}'], {
    'second-helper': 'oidc-token',
  })
  expect(splitWanted(templates)).toEqual({ first: ['account'], second: ['token', 'claims.sub'] })
})

test('a fact of a second token needs a second helper', () => {
  expect(() => parse('X-A: {second.token}')).toThrow(
    new HelperError(
      'usage',
      'header: "X-A" asks for {second.token}, and neither second-helper nor second-command is set',
      shape,
    ),
  )
})

const reservedHint =
  'remove the header, or, if a gateway reads its own credential there, set allow-header to proxy-authorization'
test('the header that an option can allow is refused without it, with the option in the hint', () => {
  expect(() => parse('proxy-Authorization: x')).toThrow(
    new HelperError('usage', 'header: "proxy-Authorization" belongs to the client and cannot be set', reservedHint),
  )
})

test('the header that an option allows is accepted with it', () => {
  const allowed = 'proxy-authorization'
  const text = 'Proxy-Authorization: Bearer {account}'
  const templates = choose([text], { 'allow-header': allowed })
  expect(expandHeaders(templates, { account: '1' }, toHeaderRules(allowed))).toEqual({
    'Proxy-Authorization': 'Bearer 1',
  })
})

test('the option that can allow one header allows no other', () => {
  expect(() => choose(['Authorization: x'], { 'allow-header': 'proxy-authorization' })).toThrow(
    new HelperError('usage', 'header: "Authorization" belongs to the client and cannot be set', own),
  )
})

test('more headers than a client takes are a usage error', () => {
  const texts = Array.from({ length: 33 }, (_, index) => `X-${index}: v`)
  expect(() => parse(...texts)).toThrow(
    new HelperError('usage', 'header: 33 headers are more than the 32 allowed', shape),
  )
})

test('every occurrence of a fact is replaced', () => {
  const templates = parse('X-Who: {role_name}@{account}/{account}', 'X-Json: {"a":"{account}"}', 'X-Plain: p')
  expect(expandHeaders(templates, { account: '1234', role_name: 'dev' }, toHeaderRules())).toEqual({
    'X-Who': 'dev@1234/1234',
    'X-Json': '{"a":"1234"}',
    'X-Plain': 'p',
  })
})

test('a fact that looks like a template or a replacement pattern stays as it is', () => {
  expect(expandHeaders(parse('X-A: <{account}>'), { account: "{role_name}$&$'" }, toHeaderRules())).toEqual({
    'X-A': "<{role_name}$&$'>",
  })
})

test.each<[facts: Record<string, string>, others: string]>([
  [{ role_name: 'dev', 'claims.sub': 'me' }, 'known of it are {role_name}, {claims.sub}'],
  [{}, 'no facts are known of it'],
])('a fact that this token lacks is named, beside those of %j', (has, others) => {
  expect(() => expandHeaders(parse('X-A: {account}'), has, toHeaderRules())).toThrow(
    new HelperError(
      'not-configured',
      `header "X-A" asks for {account}, which is not known of this token; ${others}`,
      'write the value itself in place of {account}',
    ),
  )
})

test.each([
  ['a\r\nX-Injected: 1', 'has a character beyond visible ASCII and spaces'],
  ['a\0', 'has a character beyond visible ASCII and spaces'],
  ['é', 'has a character beyond visible ASCII and spaces'],
  ['x'.repeat(8193), 'is longer than 8192 bytes'],
])('the fact %j cannot be sent and is refused unrepeated', (account, problem) => {
  expect(() => expandHeaders(parse('X-A: {account}'), { account }, toHeaderRules())).toThrow(
    new HelperError('not-configured', `header: the value of "X-A" ${problem}`, 'choose another fact for this header'),
  )
})

test('no template means no header', () => {
  expect(expandHeaders(parse(), { account: '1' }, toHeaderRules())).toEqual({})
})
