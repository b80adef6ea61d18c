import { expect, test } from 'vitest'
import { explainBadRequest } from '../../../../src/client/doctor/verifier/explain-challenge.ts'

const pages = {
  nginx:
    '<html>\r\n<head><title>400 Bad Request</title></head>\r\n<body>\r\n<center><h1>400 Bad Request</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n',
  'nginx, of large headers':
    '<html>\r\n<head><title>400 Request Header Or Cookie Too Large</title></head>\r\n<body>\r\n<center><h1>400 Bad Request</h1></center>\r\n<center>Request Header Or Cookie Too Large</center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n',
  'Apache, of large headers':
    '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head>\n<title>400 Bad Request</title>\n</head><body>\n<h1>Bad Request</h1>\n<p>Your browser sent a request that this server could not understand.<br />\nSize of a request header field exceeds server limit.<br />\n</p>\n</body></html>\n',
  HAProxy: '<html><body><h1>400 Bad request</h1>\nYour browser sent an invalid request.\n</body></html>\n',
}
const form = (server: string) =>
  `${server} itself refuses the form of the request, before anybody has looked at the token, and gives no reason`
const log = (server: string) =>
  `ask the gateway's operators what the log of ${server} says of it, such as a header that a proxy in between adds a second time`
const large = (server: string) => `the headers of the request, with the token, are larger than ${server} takes`

test.each<[what: string, status: number, text: string, headerNames: string[], seen: unknown]>([
  ['nginx', 400, pages.nginx, ['x-team'], [form('nginx'), log('nginx')]],
  [
    'nginx, beside a second credential',
    400,
    pages.nginx,
    ['X-Api-Key'],
    [
      form('nginx'),
      'remove X-Api-Key from customHeaders and from the helper: a second credential, or one header twice, is refused in this way',
    ],
  ],
  [
    'nginx, of large headers',
    400,
    pages['nginx, of large headers'],
    ['X-Api-Key'],
    [large('nginx'), "have the gateway's operators allow larger ones: large_client_header_buffers"],
  ],
  [
    'Apache, of large headers',
    400,
    pages['Apache, of large headers'],
    [],
    [large('Apache'), "have the gateway's operators allow larger ones: LimitRequestFieldSize"],
  ],
  ['HAProxy', 400, pages.HAProxy, [], [form('HAProxy'), log('HAProxy')]],
  ['a gateway that speaks of the request', 400, '{"error":{"message":"model"}}', [], undefined],
  ['nginx with another status', 502, pages.nginx, [], undefined],
])('a page is explained where a gateway is known to send it: %s', (_what, status, text, headerNames, seen) => {
  const found = explainBadRequest({ status, text }, headerNames)
  expect(found && [found.cause, found.hint]).toEqual(seen)
})
