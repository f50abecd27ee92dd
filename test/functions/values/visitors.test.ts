import { visitorHeaders } from '../../../functions/src/decks/seen';
import { clientName } from '../../../functions/src/values/client-name';
import { isRobot } from '../../../functions/src/values/visitors';

/** Headers as real programs send them, by the names of the programs. */
type Headers = Record<string, string>;

/** The headers of programs that send a `User-Agent` alone. Each line has a name and a `User-Agent`. */
const agents = (lines: string): Record<string, Headers> =>
  Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/: (.*)/))
      .map(([name = '', agent = '']) => [name, { 'user-agent': agent }]),
  );

/** Programs that fetch a link which somebody sent: to preview it, to look for malware, or to index it. */
const robots = agents(`
  Slack, link: Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)
  Slack, picture: Slack-ImgProxy (+https://api.slack.com/robots)
  Microsoft Teams: Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com
  WhatsApp: WhatsApp/2.23.20.0
  iMessage: Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0
  Facebook: facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)
  LinkedIn: LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)
  Telegram: TelegramBot (like TwitterBot)
  Discord: Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)
  Outlook for Mac: MacOutlook/16.66.22101101 (Intelx64 Mac OS X Version 12.6.1 (Build 21G217))
  Viber: Viber/13.5.0.17 CFNetwork/1128.0.1 Darwin/19.6.0
  Line: facebookexternalhit/1.1;line-poker/1.0
  KakaoTalk: facebookexternalhit/1.1; kakaotalk-scrap/1.0; +https://devtalk.kakao.com/t/scrap/33984
  Skype: SkypeUriPreview Preview/0.5
  Embedly: Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)
  Iframely: Iframely/1.3.1 (+https://iframely.com/docs/about)
  Gmail pictures: Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)
  Yahoo Mail pictures: YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html
  Outlook for Windows: Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17328; Pro)
  Office asks what is behind a link: Microsoft Office Existence Discovery
  Office: Mozilla/4.0 (compatible; ms-office; MSOffice 16)
  Google, link preview: Mozilla/5.0 (compatible; Google-PageRenderer Google (+https://developers.google.com/+/web/snippet/))
  Barracuda: Barracuda Sentinel (EE)
  HubSpot: HubSpot Connect 2.0 (http://dev.hubspot.com/) - BizOpsCompanies
  Barkrowler: Mozilla/5.0 (compatible; Barkrowler/0.9; +https://babbar.tech/crawler)
  Google: Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)
  Google Inspection: Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)
  Google other: GoogleOther
  Bing preview: Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b
  Apple: Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)
  Baidu: Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)
  ChatGPT: Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot
  Claude: Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)
  Internet Archive: Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)
  curl: curl/8.5.0
  Wget: Wget/1.21.4
  HTTPie: HTTPie/3.2.2
  Python: python-requests/2.31.0
  Python httpx: python-httpx/0.27.0
  Go: Go-http-client/2.0
  Node: node
  Node undici: undici
  axios: axios/1.6.7
  Java: Java/17.0.9
  Apache HttpClient: Apache-HttpClient/4.5.14 (Java/17.0.9)
  okhttp: okhttp/4.12.0
  Ruby: Ruby
  PowerShell: Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.3803
  Postman: PostmanRuntime/7.36.1
  Pingdom: Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)
  Lighthouse: Mozilla/5.0 (Linux; Android 11; moto g power (2022)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0.0.0 Mobile Safari/537.36 Chrome-Lighthouse
  headless Chrome: Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0 Safari/537.36
  PhantomJS: Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1
  no more than the first word: Mozilla/5.0`);

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const safari =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15';

/** Browsers that load a page before somebody opens it, and perhaps nobody does. */
const prefetches: Record<string, Headers> = {
  Chrome: { 'user-agent': chrome, 'sec-purpose': 'prefetch', 'sec-fetch-dest': 'document' },
  'Chrome, prerender': { 'user-agent': chrome, 'sec-purpose': 'prefetch;prerender' },
  'Chrome, by a proxy': { 'user-agent': chrome, 'sec-purpose': 'prefetch;anonymous-client-ip' },
  'Chrome before 119': { 'user-agent': chrome, purpose: 'prefetch' },
  'Firefox before 115': {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:102.0) Gecko/20100101 Firefox/102.0',
    'x-moz': 'prefetch',
  },
  'Safari, top sites': { 'user-agent': safari, 'x-purpose': 'preview' },
};

/** Browsers of people, also in apps and without scripts. */
const people: Record<string, Headers> = {
  ...agents(`
    Chrome, Android: Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36
    Chrome, iPhone: Mozilla/5.0 (iPhone; CPU iPhone OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1
    Chromebook: Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36
    Safari, iPhone: Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1
    Safari 15, without Sec-Fetch: Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.6.1 Safari/605.1.15
    Firefox: Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0
    Firefox, Android: Mozilla/5.0 (Android 14; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0
    Firefox Focus: Mozilla/5.0 (iPhone; CPU iPhone OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/132.0 Mobile/15E148 Safari/605.1.15
    Edge: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0
    Opera: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0
    Samsung Internet: Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36
    DuckDuckGo: Mozilla/5.0 (iPhone; CPU iPhone OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.7 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15
    Yandex Browser: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 YaBrowser/24.10.0.0 Safari/537.36
    Silk, Kindle: Mozilla/5.0 (Linux; Android 9; KFMAWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/126.4.1 like Chrome/126.0.6478.126 Safari/537.36
    Edge with Internet Explorer 11: Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko
    Facebook: Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/481.0.0.27.106;FBBV/639345116;FBDV/iPhone14,5;FBMD/iPhone;FBSN/iOS;FBSV/17.6;FBSS/3;FBID/phone;FBLC/en_US;FBOP/5]
    Messenger: Mozilla/5.0 (Linux; Android 13; Pixel 7 Build/TQ3A.230805.001; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0.0.0 Mobile Safari/537.36 [FB_IAB/Orca-Android;FBAV/480.0.0.32.108;]
    Instagram: Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 341.0.3.25.92 (iPhone15,3; iOS 17_5; en_US; en; scale=3.00; 1290x2796; 618023787)
    LinkedIn: Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [LinkedInApp]/9.29.8962
    Slack, desktop: Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.41.97 Chrome/130.0.6723.59 Electron/33.0.1 Safari/537.36
    Teams, desktop: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Teams/1.6.00.27573 Chrome/102.0.5005.167 Electron/19.1.8 Safari/537.36
    Gmail, iPhone: Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/339.0.688 Mobile/15E148 Safari/604.1
    WebView, Android: Mozilla/5.0 (Linux; Android 14; SM-A536B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/131.0.6778.39 Mobile Safari/537.36
    WebView, iPhone: Mozilla/5.0 (iPhone; CPU iPhone OS 17_6_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148
    WeChat: Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.49(0x18003137) NetType/WIFI Language/zh_CN
    Line: Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari Line/14.10.0
    KakaoTalk: Mozilla/5.0 (Linux; Android 13; SM-S908N; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36 KAKAOTALK 2410730
    Outlook, in its own browser: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0 OneOutlook/1.2024.1023.0
    Zoom: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36 ZoomWebKit/537.36
    w3m: w3m/0.5.3+git20230121
    Links: Links (2.29; Linux 6.1.0-18-amd64 x86_64; GNU C 12.2; text)
    Chrome without Sec-Fetch: ${chrome}
    Safari: ${safari}`),
  'Chrome, Windows': {
    'user-agent': chrome,
    'sec-fetch-site': 'same-origin',
    'sec-ch-ua': '"Chromium";v="131", "Not_A Brand";v="24"',
    'sec-ch-ua-mobile': '?0',
  },
  'no name': {},
};

const robotsAmong = (visitors: Record<string, Headers>) =>
  Object.keys(visitors).filter((name) =>
    isRobot(visitorHeaders({ headers: visitors[name]! } as Parameters<typeof visitorHeaders>[0])),
  );

test('link previews, mail scanners, search engines and programs are robots', () => {
  expect(robotsAmong(robots)).toEqual(Object.keys(robots));
  expect(Object.keys(robots).length).toBeGreaterThan(50);
});

test('a page that a browser loads before somebody opens it is not seen by a person', () => {
  expect(robotsAmong(prefetches)).toEqual(Object.keys(prefetches));
});

test('browsers of people are not robots: those in apps, without scripts, and without headers that say what they are', () => {
  expect(robotsAmong(people)).toEqual([]);
  expect(Object.keys(people).length).toBeGreaterThan(30);
});

test.each([
  ['Chrome on Windows', chrome],
  ['Edge on Windows', `${chrome} Edg/131.0.0.0`],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'],
  ['Safari on iOS', people['Safari, iPhone']!['user-agent']],
  ['the deck command', 'deckhost/1.0.0 node/24.1.0'],
  ['a program', 'Call 555 1234 now: https://evil.example/'],
  ['a program', undefined],
])('%s is the name of the client that sends %s', (name, userAgent) => expect(clientName(userAgent)).toBe(name));
