const ANDROID = (chrome: string) =>
  `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${chrome}.0.0.0 Mobile Safari/537.36`;

export const PHONES = {
  android: [
    { userAgent: ANDROID('156'), model: 'SM-A047F', installed: true },
    { userAgent: ANDROID('155'), model: '2201117TG', installed: true },
    { userAgent: ANDROID('156'), model: 'Nokia G22', installed: false },
  ],
  ios: [
    {
      userAgent:
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      installed: true,
    },
  ],
  web: [
    {
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
      installed: false,
    },
  ],
} as const;
