/** The most common leaked passwords of 8 and more characters. Attackers try them first. */
const words = `
password password1 password12 password123 password1234 password! password1! passw0rd passw0rd1 p@ssword p@ssw0rd
p@ssword1 p@ssw0rd1 passwort passwort1 passwort123 motdepasse contraseña contrasena wachtwoord 12345678
123456789 1234567890 123123123 123412341 123454321 123456123 12341234 12344321 12345679 12345678910 123456789a
123456780 01234567 0123456789 87654321 987654321 9876543210 11223344 1122334455 11112222 12121212 13131313
10101010 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 q1w2e3r4 q1w2e3r4t5 qwer1234 qwert123
qwerty12 qwerty123 qwerty1234 qwerty12345 qwertyui qwertyuiop qwertyuiop123 qwertz123 qwertzui qwertzuiop
azertyui azertyuiop asdfghjk asdfghjkl asdf1234 asdfasdf asdfqwer zxcvbnm1 zxcvbnm123 zxcvbnm, zaq12wsx zaq1zaq1
qazwsx123 qazwsxedc qweasdzxc qweasd123 qwe123qwe qweqweqwe 123qweasd 123qwe123 abcd1234 abc12345 abc123456
abcdefgh abcdefghi abcdef123 a1234567 a12345678 a123456789 a1b2c3d4 aa123456 aa12345678 aaaaaaaa aaaaaaaaaa
abcabcabc 1a2b3c4d 00000000 0000000000 11111111 111111111 1111111111 22222222 33333333 44444444 55555555
66666666 77777777 88888888 888888888 99999999 999999999 69696969 31415926 3141592653 14141414 20202020 19841984
19871987 19901990 20002000 12301230 147258369 159753456 159357258 741852963 789456123 963852741 147852369
321321321 456456456 789789789 iloveyou iloveyou1 iloveyou2 iloveyou123 ilovejesus iloveme1 ilovegod loveyou1
loveyou123 lovelove sunshine sunshine1 princess princess1 princess123 football football1 baseball baseball1
basketball superman superman1 batman123 spiderman starwars starwars1 pokemon1 pokemon123 trustno1 letmein1
letmein123 welcome1 welcome12 welcome123 welcome! welcome1! willkommen bienvenue bienvenido computer computer1
internet internet1 michelle jennifer jessica1 charlie1 michael1 jonathan elizabeth alexander victoria veronica
samantha stephanie danielle christian nicholas benjamin caroline patricia whatever whatever1 dragon123 monkey123
shadow123 master123 mustang1 corvette mercedes maverick midnight diamond1 liverpool liverpool1 chelsea1 arsenal1
barcelona realmadrid manchester juventus hello123 hello1234 hellohello freedom1 butterfly chocolate strawberry
blink182 changeme changeme1 changeme123 default1 secret123 secret12 topsecret access14 administrator admin123
admin1234 admin12345 admin@123 administrador root1234 rootroot guest123 user1234 test1234 test12345 testtest
testing1 testing123 temp1234 demo1234 demodemo samsung1 google123 facebook facebook1 linkedin dropbox1 minecraft
fortnite1 letmein! summer2023 summer2024 summer2025 summer2026 winter2023 winter2024 winter2025 winter2026
spring2024 spring2025 spring2026 autumn2024 autumn2025 autumn2026 january1 december mynoob123 jordan23 killer123
tinkerbell qwerty!@# !@#$%^&* !qaz2wsx zaq!2wsx 1234qwer 12qwaszx 123abc123 147896325 fieldbell fieldbell1
fieldbell123 technician technician1 customer1
`;

export const commonPasswords: ReadonlySet<string> = new Set(words.trim().split(/\s+/));
