import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from 'vitest'
import { listReferrers } from '../../../../src/sources/oauth/listener/callback.ts'
import { detectSender } from '../../../../src/sources/oauth/listener/open-listener.ts'

const referrers = listReferrers(
  ['https://login.example', 'https://Auth.Example.:8443/authorize', undefined, 'no URL'],
  ['Portal.Example', ''],
)
const tab = { kind: 'tab' } as const
const part = { kind: 'part' } as const
const prefetch = { kind: 'prefetch' } as const
const foreign = (host: string) => ({ kind: 'foreign', host }) as const
const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

test('the referrers are the hosts of the provider and those that are listed, each once', () => {
  expect(referrers).toEqual(['login.example', 'auth.example', 'portal.example'])
  expect(listReferrers(['https://a.example/x', 'https://a.example/y'], ['a.example.'])).toEqual(['a.example'])
})

test.each<[what: string, headers: IncomingHttpHeaders, sender: ReturnType<typeof detectSender>]>([
  ['a program that is no browser', {}, tab],
  ['an address that was typed', { ...navigation, 'sec-fetch-site': 'none' }, tab],
  ['the provider', { ...navigation, 'sec-fetch-site': 'cross-site', referer: 'https://login.example/' }, tab],
  ['its authorization endpoint, with a port', { ...navigation, referer: 'https://auth.example:8443/a?b' }, tab],
  ['a host that is listed', { ...navigation, referer: 'https://portal.example/' }, tab],
  ['its name in full', { ...navigation, referer: 'https://portal.example./' }, tab],
  ['a form of the provider', { ...navigation, origin: 'https://login.example' }, tab],
  ['a form of an https page', { ...navigation, origin: 'null' }, tab],
  ['another host', { ...navigation, referer: 'https://evil.example/' }, foreign('evil.example')],
  ['a host below the provider', { referer: 'https://a.login.example/' }, foreign('a.login.example')],
  ['a host that contains the provider', { referer: 'https://login.example.evil/' }, foreign('login.example.evil')],
  ['a user that looks like it', { referer: 'https://login.example@evil.example/' }, foreign('evil.example')],
  ['no URL', { referer: 'login.example' }, foreign('')],
  ['an empty one', { referer: '' }, foreign('')],
  ['a form of another page', { ...navigation, origin: 'http://127.0.0.1:4001' }, foreign('127.0.0.1')],
  ['two that differ', { origin: 'https://evil.example', referer: 'https://login.example/' }, foreign('evil.example')],
  ['a request of a script', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }, part],
  ['one without CORS', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' }, part],
  ['an image', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, part],
  ['a frame', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, part],
  ['an image of the provider', { 'sec-fetch-dest': 'image', referer: 'https://login.example/' }, part],
  ['a page that Chromium fetches ahead', { ...navigation, 'sec-purpose': 'prefetch;prerender' }, prefetch],
  ['one that older ones fetch', { purpose: 'prefetch' }, prefetch],
  ['one that Safari previews', { 'x-purpose': 'preview' }, prefetch],
  ['one that older Firefoxes fetch', { 'x-moz': 'prefetch' }, prefetch],
])('the sender of a request is found from its headers: %s', (_, headers, sender) => {
  expect(detectSender(headers, referrers)).toEqual(sender)
})

test('without referrers only a page that is fetched ahead is distinguished', () => {
  expect(detectSender({ referer: 'https://evil.example/', 'sec-fetch-mode': 'cors' }, undefined)).toEqual(tab)
  expect(detectSender({ 'sec-purpose': 'prefetch' }, undefined)).toEqual(prefetch)
})
