import { HOSTILE_HOSTS } from './hostile-hosts.js';

export interface HostileUrl {
  readonly family: string;
  readonly url: string;
  /** False: the text looks harmless; only the resolved addresses show it, at connection time. */
  readonly isToldByText: boolean;
  /**
   * A connection to the host the WHATWG parser finds is refused; `elsewhere`: that host is public; `none`: there is no
   * host.
   */
  readonly connection: 'refused' | 'elsewhere' | 'none';
  /**
   * The sandbox may call loopback and private addresses by http on any port, but never link-local or metadata
   * services.
   */
  readonly isAllowedInSandbox: boolean;
  /** DNS answers for its name; default PUBLIC_ADDRESS. */
  readonly addresses?: readonly string[];
}

export const PUBLIC_ADDRESS = '8.8.8.8';

/** Wrong text in which this parser finds a public host. Another parser may find another host. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'user and password': [
    'https://a@example.com/',
    'https://a:b@example.com/',
    'https://@example.com/',
    'https://:@example.com/',
    'https://127.0.0.1@example.com/',
    'https://127.0.0.1:443@example.com/',
    'https://127.0.0.1%2f@example.com/',
    'https://example.net%40@example.com/',
    'https://a@b@example.com/',
    'https://[::1]@example.com/',
  ],
  backslashes: [
    'https://example.com\\@127.0.0.1/',
    'https:\\\\example.com/',
    'https://example.com\\.127.0.0.1/',
    'https:/\\example.com/',
    'https://example.com/\\127.0.0.1',
  ],
  'tabs, newlines and controls': [
    'https://exam\tple.com/',
    'https://exam\nple.com/',
    'https://exam\rple.com/',
    'ht\ntps://example.com/',
    ' https://example.com/',
    'https://example.com/ ',
    '\u0000https://example.com/',
    'https://example.com/\u0001',
    'https://example.com/a b',
    'https://example.com/\r\nHost: 127.0.0.1',
    'https://example.com/\u0085',
    'https://example.com/\u2028',
  ],
  'slashes missing or too many': [
    'https:example.com',
    'https:/example.com',
    'https:///example.com',
    'https:////example.com',
    'HTTPS:///example.com',
  ],
  'a scheme around another': ['blob:https://example.com/x'],
  'very long': [`https://example.com/${'x'.repeat(2_048)}`, `https://example.com/?${'x'.repeat(100_000)}`],
};

/** The user part is the trick, the host is the target: the sandbox accepts the host but no user part. */
const USERS_OF_PRIVATE_HOSTS = [
  'https://a@127.0.0.1/',
  'https://example.com@127.0.0.1/',
  'https://example.com:443@localhost/',
  'https://example.com%2f@2130706433/',
  'https://a@[::1]/',
  'https://a@169.254.169.254/',
];

const NO_HOST: Readonly<Record<string, readonly string[]>> = {
  'no URL': [
    '',
    'https://',
    'https:',
    '//example.com/',
    '/hook',
    'example.com',
    'example.com:443',
    'https://?x',
    'https://#x',
    'https://:443/',
    'https://a@/',
  ],
  'zone ids': ['https://[fe80::1%25eth0]/', 'https://[fe80::1%eth0]/', 'https://[::1%25lo]/'],
  'numbers that are no address': [
    'https://999.1.1.1/',
    'https://4294967296/',
    'https://1.2.3.4.5/',
    'https://127.0.0.0x100/',
    'https://0x100000000/',
    'https://08.0.0.1/',
    'https://example.0x7f/',
    'https://1.2.3.4294967296/',
  ],
  'IPv6 that is none': [
    'https://[::1/',
    'https://::1/',
    'https://[1::2::3]/',
    'https://[::ffff:0x7f.1]/',
    'https://[::1]./',
    'https://[g::1]/',
    'https://[127.0.0.1]/',
  ],
  'names that are none': [
    'https://xn--/',
    'https://exa mple.com/',
    'https://example.com%00/',
    'https://example.com%40127.0.0.1/',
    'https://a%zz/',
    'https://example.com%2f127.0.0.1/',
    'https://a<b>.com/',
    'https://\u00AD/',
    'https://༡༢༧.0.0.1/',
  ],
  'ports that are none': [
    'https://example.com:65536/',
    'https://example.com:-1/',
    'https://example.com:a/',
    'https://example.com:443:443/',
    'https://example.com: 443/',
  ],
};

const SCHEMES = [
  'javascript:alert(1)',
  'data:text/plain,x',
  'file:///etc/passwd',
  'file://example.com/x',
  'about:blank',
  'gopher://127.0.0.1:6379/_x',
  'dict://127.0.0.1:11211/',
  'ldap://127.0.0.1/',
  'ftp://example.com/',
  'ws://example.com/',
  'wss://example.com/',
  'jar:https://example.com!/',
  'unix:/var/run/docker.sock',
  'httpss://example.com/',
  'view-source:https://example.com/',
];

/** Refused in live only, for scheme or port. */
const SANDBOX_WAYS: Readonly<Record<string, readonly string[]>> = {
  http: ['http://example.com/', 'HTTP://EXAMPLE.com/', 'http://example.com:443/', 'http://127.0.0.1/'],
  ports: [
    'https://example.com:80/',
    'https://example.com:22/',
    'https://example.com:6379/',
    'https://example.com:8080/',
    'https://example.com:00022/',
    'https://example.com:65535/',
  ],
};

const NAMES: readonly (readonly [name: string, addresses: readonly string[], isAllowedInSandbox: boolean])[] = [
  ['127.0.0.1.nip.example', ['127.0.0.1'], true],
  ['localtest.example', ['127.0.0.1', '::1'], true],
  ['ten.example', ['10.1.2.3'], true],
  ['private6.example', ['fd12::1'], true],
  ['bücher.example', ['192.168.1.1'], true],
  ['xn--80ak6aa92e.example', ['172.16.0.1'], true],
  ['one-good-one-bad.example', [PUBLIC_ADDRESS, '10.0.0.1'], true],
  ['good-and-loopback6.example', ['2606:4700::1111', '::1'], true],
  ['169-254-169-254.nip.example', ['169.254.169.254'], false],
  ['good-and-metadata.example', [PUBLIC_ADDRESS, '2606:4700::1111', '169.254.169.254'], false],
  ['mapped.example', ['::ffff:169.254.169.254'], false],
  ['compatible.example', ['::7f00:1'], false],
  ['nat64.example', ['64:ff9b::7f00:1'], false],
  ['6to4.example', ['2002:7f00:1::'], false],
  ['link-local.example', ['fe80::1'], false],
  ['zone.example', ['fe80::1%eth0'], false],
  ['global-with-zone.example', ['2606:4700::1111%eth0'], false],
  ['unspecified.example', ['0.0.0.0'], false],
  ['azure.example', ['168.63.129.16'], false],
  ['no-address-at-all.example', ['localhost'], false],
];

/** URLs with which a partner may try to make Vuka call internal hosts (SSRF), by family. */
export const HOSTILE_URLS: readonly HostileUrl[] = [
  ...HOSTILE_HOSTS.flatMap(([family, whoMay, hosts]) =>
    hosts.split(' ').map((host) => byText(family, `https://${host}/hook`, 'refused', whoMay === 'sandbox')),
  ),
  ...rows(ELSEWHERE, 'elsewhere', false),
  ...USERS_OF_PRIVATE_HOSTS.map((url) => byText('user and password', url, 'refused', false)),
  ...rows(NO_HOST, 'none', false),
  ...SCHEMES.map((url) => byText('other schemes', url, 'refused', false)),
  ...rows(SANDBOX_WAYS, 'refused', true),
  byText('ports', 'https://example.com:0/', 'refused', false),
  ...NAMES.map(([name, addresses, isAllowedInSandbox]): HostileUrl => {
    return {
      family: 'names that resolve to it',
      url: `https://${name}/hook`,
      isToldByText: false,
      connection: 'refused',
      isAllowedInSandbox,
      addresses,
    };
  }),
];

function byText(
  family: string,
  url: string,
  connection: HostileUrl['connection'],
  isAllowedInSandbox: boolean,
): HostileUrl {
  return { family, url, isToldByText: true, connection, isAllowedInSandbox };
}

function rows(
  families: Readonly<Record<string, readonly string[]>>,
  connection: HostileUrl['connection'],
  isAllowedInSandbox: boolean,
): readonly HostileUrl[] {
  return Object.entries(families).flatMap(([family, urls]) =>
    urls.map((url) => byText(family, url, connection, isAllowedInSandbox)),
  );
}
